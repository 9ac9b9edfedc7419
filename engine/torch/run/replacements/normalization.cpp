#include "run/replacements/replacements.h"

#include "run/state/value_access.h"

namespace aotscope::torch {

namespace {

using c10::IValue;
using Args = std::vector<IValue>;

bool isTensor(const IValue& value) {
    return value.isTensor() && value.toTensor().defined();
}

/// With half-precision input and float32 weight, CPU kernels save mean and rstd in float32, but PyTorch's
/// shape function gives them the input's dtype.
Args withWideStatistics(Args args, std::size_t weight, std::size_t saved, RunContext& context) {
    constexpr std::size_t input = 1;
    if (!isTensor(args[input]) || !isTensor(args[weight])) {
        return args;
    }
    const c10::ScalarType narrow = args[input].toTensor().scalar_type();
    const c10::ScalarType wide = args[weight].toTensor().scalar_type();
    if (wide != c10::kFloat || (narrow != c10::kHalf && narrow != c10::kBFloat16)) {
        return args;
    }
    for (const std::size_t index : {saved, saved + 1}) {
        if (isTensor(args[index]) && args[index].toTensor().scalar_type() == narrow) {
            args[index] = args[index].toTensor().to(wide);
            context.note("Saved means and deviations of a normalization are logged in the input's dtype; the "
                         "CPU kernel needs float32, so they were converted.");
        }
    }
    return args;
}

/// Its mean and deviation are arguments `Saved` and the one behind it.
template<char const* Target, std::size_t Weight, std::size_t Saved>
IValue backwardOf(const Args& args, RunContext& context) {
    return callAten(Target, withWideStatistics(args, Weight, Saved, context));
}
constexpr char layerNormTarget[] = "aten.native_layer_norm_backward.default";
constexpr char groupNormTarget[] = "aten.native_group_norm_backward.default";
constexpr char batchNormTarget[] = "aten.native_batch_norm_backward.default";

constexpr Replacement normalizationTable[] = {
    {layerNormTarget, "grad_out input normalized_shape mean rstd weight bias output_mask",
     backwardOf<layerNormTarget, 5, 3>},
    {groupNormTarget, "grad_out input mean rstd weight N C HxW group output_mask",
     backwardOf<groupNormTarget, 4, 2>},
    {batchNormTarget,
     "grad_out input weight running_mean running_var save_mean save_invstd train eps output_mask",
     backwardOf<batchNormTarget, 2, 5>},
};

} // namespace

std::span<const Replacement> normalizationReplacements() {
    return normalizationTable;
}

} // namespace aotscope::torch
