#include "run/replacements.h"

#include "run/value_access.h"

namespace aotscope::torch {

namespace {

using c10::IValue;
using Args = std::vector<IValue>;

bool isTensor(const IValue& value) {
    return value.isTensor() && value.toTensor().defined();
}

/// With half-precision input and float32 weight, CPU kernels save mean and rstd in float32, but PyTorch's
/// shape function gives them the input's dtype.
Args withWideStatistics(Args args, std::size_t input, std::size_t weight,
                        std::initializer_list<std::size_t> saved, RunContext& context) {
    if (!isTensor(args[input]) || !isTensor(args[weight])) {
        return args;
    }
    const c10::ScalarType narrow = args[input].toTensor().scalar_type();
    const c10::ScalarType wide = args[weight].toTensor().scalar_type();
    if (wide != c10::kFloat || (narrow != c10::kHalf && narrow != c10::kBFloat16)) {
        return args;
    }
    for (const std::size_t index : saved) {
        if (isTensor(args[index]) && args[index].toTensor().scalar_type() == narrow) {
            args[index] = args[index].toTensor().to(wide);
            context.note("Saved means and deviations of a normalization are logged in the input's dtype; the "
                         "CPU kernel needs float32, so they were converted.");
        }
    }
    return args;
}

IValue layerNorm(const Args& args, RunContext& context) {
    return callAten("aten.native_layer_norm_backward.default",
                    withWideStatistics(args, 1, 5, {3, 4}, context));
}
IValue groupNorm(const Args& args, RunContext& context) {
    return callAten("aten.native_group_norm_backward.default",
                    withWideStatistics(args, 1, 4, {2, 3}, context));
}
IValue batchNorm(const Args& args, RunContext& context) {
    return callAten("aten.native_batch_norm_backward.default",
                    withWideStatistics(args, 1, 2, {5, 6}, context));
}

constexpr Replacement normalizationTable[] = {
    {"aten.native_layer_norm_backward.default",
     "grad_out input normalized_shape mean rstd weight bias output_mask", layerNorm},
    {"aten.native_group_norm_backward.default", "grad_out input mean rstd weight N C HxW group output_mask",
     groupNorm},
    {"aten.native_batch_norm_backward.default",
     "grad_out input weight running_mean running_var save_mean save_invstd train eps output_mask", batchNorm},
};

} // namespace

std::span<const Replacement> normalizationReplacements() {
    return normalizationTable;
}

} // namespace aotscope::torch
