#include "operators/operator_rows.h"

#include "decompositions/all_decompositions.h"
#include "decompositions/python_arithmetic.h"
#include "fake/meta/rules.h"
#include "fake/models/symbolic_shapes.h"
#include "run/replacements/replacements.h"
#include "run/state/value_access.h"

/// Batch, layer, group and weight norms and their gradients.
namespace aotscope::torch {

namespace {

using Norm = std::tuple<at::Tensor, at::Tensor, at::Tensor>;

/// Calls the operators whose schemas declare that running statistics change.
Decomposed nativeBatchNorm(const DecompositionCall& call) {
    const at::Tensor input = call.tensor("input");
    const auto weight = call.optionalTensor("weight");
    const auto bias = call.optionalTensor("bias");
    at::Tensor mean = call.tensor("running_mean");
    at::Tensor variance = call.tensor("running_var");
    const bool training = call.flag("training");
    const double momentum = call.number("momentum");
    const double eps = call.number("eps");
    TORCH_CHECK(mean.defined() == variance.defined(),
                "native_batch_norm was given one of running_mean and running_var; give both or none");
    const Norm norm =
        !mean.defined() ? at::_native_batch_norm_legit(input, weight, bias, training, momentum, eps)
        : training
            ? at::_native_batch_norm_legit(input, weight, bias, mean, variance, training, momentum, eps)
            : at::_native_batch_norm_legit_no_training(input, weight, bias, mean, variance, momentum, eps);
    return {std::get<0>(norm), std::get<1>(norm), std::get<2>(norm)};
}

/// cuDNN's and MIOpen's, of which only the first returns a buffer for the gradient.
Decomposed vendorBatchNorm(const DecompositionCall& call) {
    const Norm norm = at::native_batch_norm(
        call.tensor("input"), call.optionalTensor("weight"), call.optionalTensor("bias"),
        call.optionalTensor("running_mean"), call.optionalTensor("running_var"), call.flag("training"),
        call.number("exponential_average_factor"), call.number("epsilon"));
    const bool training = call.flag("training");
    const at::Tensor weight = call.tensor("weight");
    const at::Tensor mean = training ? std::get<1>(norm) : python::newZeros(weight, {0});
    const at::Tensor invstd = training ? std::get<2>(norm) : python::newZeros(weight, {0});
    if (call.schema().returns().size() == 3) {
        return {std::get<0>(norm), mean, invstd};
    }
    return {std::get<0>(norm), mean, invstd, python::newZeros(call.tensor("input"), {0}, c10::kByte)};
}

using python::computationType;
using python::convert;
using python::convertDefined;

/// Adds dimensions of size 1 so that a vector of channels lies along dimension 1.
at::Tensor alongChannels(at::Tensor tensor, const at::Tensor& input) {
    for (std::int64_t axis = 0; axis < input.dim(); ++axis) {
        const bool mayBroadcast = axis != 1 || input.sym_size(1).sym_eq(1).guard_bool(__FILE__, __LINE__);
        const bool isOne =
            axis < tensor.dim() && tensor.sym_size(axis).sym_eq(1).guard_bool(__FILE__, __LINE__);
        if (mayBroadcast && !isOne) {
            tensor = tensor.unsqueeze(axis);
        }
    }
    return tensor;
}

struct BatchNorm {
    at::Tensor output;
    at::Tensor saveMean;
    at::Tensor saveInvstd;
    at::Tensor newMean;
    at::Tensor newVariance;
};

at::Tensor channelVector(const at::Tensor& vector, std::int64_t dim) {
    return python::unsqueezeToDim(vector.flatten(), dim - 1);
}

BatchNorm batchNorm(const DecompositionCall& call, bool training, bool functional) {
    const at::Tensor input = call.tensor("input");
    const auto running = [&](const char* name) { return call.has(name) ? call.tensor(name) : at::Tensor(); };
    const at::Tensor runningMean = running("running_mean");
    const at::Tensor runningVariance = running("running_var");
    const double momentum = call.number("momentum");
    const c10::Scalar eps = call.scalar("eps");
    const c10::ScalarType computed = computationType(input.scalar_type());
    const std::vector<std::int64_t> dims = python::allBut(/*the channels*/ 1, input);
    BatchNorm norm;
    norm.newMean = runningMean;
    norm.newVariance = runningVariance;
    if (training) {
        const at::Tensor x = convert(input, computed);
        const auto [variance, mean] = at::var_mean(x, dims, c10::Scalar(0), true);
        const at::Tensor rstd = at::rsqrt(variance + eps);
        norm.output = (input - mean) * rstd;
        norm.saveMean = at::squeeze(mean, dims);
        norm.saveInvstd = at::squeeze(rstd, dims);
        if (runningMean.defined()) {
            const at::Tensor step = momentum * norm.saveMean;
            norm.newMean = step + (1 - momentum) * runningMean;
            if (!functional) {
                runningMean.copy_(norm.newMean);
            }
        }
        if (runningVariance.defined()) {
            const c10::SymFloat n = python::quotient(input.sym_numel(), input.sym_size(1));
            const at::Tensor squeezed = at::squeeze(variance, dims);
            const at::Tensor unbiased = squeezed * c10::Scalar(n / (n - 1.0));
            const at::Tensor step = momentum * unbiased;
            norm.newVariance = step + (1 - momentum) * runningVariance;
            if (!functional) {
                runningVariance.copy_(norm.newVariance);
            }
        }
    } else {
        norm.newMean = runningMean.to(computed, false, true);
        norm.newVariance = runningVariance.to(computed, false, true);
        const at::Tensor shifted = norm.newVariance + eps;
        const at::Tensor invstd = call.rules().decompositions.inferenceBatchNormCallsRsqrt
                                      ? at::rsqrt(shifted)
                                      : 1 / at::sqrt(shifted);
        if (input.is_cpu()) {
            norm.saveMean = python::newZeros(input, {0});
            norm.saveInvstd = python::newZeros(input, {0});
        } else {
            norm.saveMean = norm.newMean;
            norm.saveInvstd = invstd;
        }
        const at::Tensor mean = python::unsqueezeToDim(norm.newMean, input.dim() - 1);
        const at::Tensor scale = python::unsqueezeToDim(invstd, input.dim() - 1);
        norm.output = (input - mean) * scale;
    }
    if (call.has("weight")) {
        norm.output = norm.output * channelVector(call.tensor("weight"), input.dim());
    }
    if (call.has("bias")) {
        norm.output = norm.output + channelVector(call.tensor("bias"), input.dim());
    }
    if (input.is_cpu()) {
        norm.saveMean = convert(norm.saveMean, input.scalar_type());
        norm.saveInvstd = convert(norm.saveInvstd, input.scalar_type());
    }
    norm.output = convert(norm.output, input.scalar_type());
    return norm;
}

/// The buffer that cuDNN would save for the gradient; empty elsewhere.
at::Tensor noReserve(const at::Tensor& input) {
    return at::empty({0}, python::options(c10::kByte, input.device()).layout(input.layout()));
}

Decomposed batchNormBackward(const DecompositionCall& call) {
    const at::Tensor input = call.tensor("input");
    const at::Tensor weight = call.tensor("weight");
    const c10::ScalarType weightType = weight.defined() ? weight.scalar_type() : input.scalar_type();
    const c10::ScalarType computed = computationType(input.scalar_type());
    const at::Tensor grad = convertDefined(call.tensor("grad_out"), computed);
    const at::Tensor x = convertDefined(input, computed);
    const at::Tensor scale = convertDefined(weight, computed);
    const at::Tensor runningMean = convertDefined(call.tensor("running_mean"), computed);
    const at::Tensor runningVariance = convertDefined(call.tensor("running_var"), computed);
    // batch_norm_backward has other names for the same arguments.
    const bool legacy = call.schema().argumentIndexWithName("train").has_value();
    at::Tensor mean = convertDefined(call.tensor("save_mean"), computed);
    at::Tensor invstd = convertDefined(call.tensor(legacy ? "save_invstd" : "save_var"), computed);
    const bool train = call.flag(legacy ? "train" : "update");
    if (!train) {
        mean = runningMean;
        invstd = at::rsqrt(runningVariance + call.scalar("eps"));
    }
    const std::vector<std::int64_t> axes = python::allBut(/*the channels*/ 1, input);
    const c10::SymFloat features = python::quotient(python::product(python::sizes(input)), input.sym_size(1));
    const c10::Scalar norm = c10::SymFloat(1.0) / features;
    mean = alongChannels(mean, input);
    const at::Tensor gradSum = at::sum(grad, axes);
    const at::Tensor dotProduct = at::sum(grad * (x - mean), axes);
    const at::Tensor gradMean = alongChannels(gradSum * norm, input);
    const at::Tensor normalized = dotProduct * norm;
    const at::Tensor projection = alongChannels(at::mul(normalized, invstd * invstd), input);
    const at::Tensor gradScale =
        scale.defined() ? alongChannels(invstd * scale, input) : alongChannels(invstd, input) * 1.0;
    at::Tensor gradInput;
    if (train) {
        const at::Tensor projected = (x - mean) * projection;
        gradInput = ((grad - projected) - gradMean) * gradScale;
    } else {
        gradInput = grad * gradScale;
    }
    const std::vector<bool> mask = call.flags("output_mask");
    const at::Tensor gradWeight = mask[1] ? dotProduct * invstd : at::Tensor();
    const at::Tensor gradBias = mask[2] ? gradSum : at::Tensor();
    return {convert(gradInput, input.scalar_type()), convertDefined(gradWeight, weightType),
            convertDefined(gradBias, weightType)};
}

Decomposed vendorBatchNormBackward(const DecompositionCall& call) {
    const auto [input, weight, bias] = at::native_batch_norm_backward(
        call.tensor("grad_output"), call.tensor("input"), call.tensor("weight"),
        call.optionalTensor("running_mean"), call.optionalTensor("running_var"),
        call.optionalTensor("save_mean"), call.optionalTensor("save_var"), true, call.number("epsilon"),
        {true, true, true});
    return {input, weight, bias};
}

Decomposed batchNormLegit(const DecompositionCall& call) {
    const BatchNorm norm = batchNorm(call, call.flag("training"), false);
    return {norm.output, norm.saveMean, norm.saveInvstd};
}

Decomposed batchNormFunctional(const DecompositionCall& call) {
    const BatchNorm norm = batchNorm(call, call.flag("training"), true);
    return {norm.output, norm.saveMean, norm.saveInvstd, norm.newMean, norm.newVariance};
}

Decomposed batchNormWithUpdate(const DecompositionCall& call) {
    const BatchNorm norm = batchNorm(call, true, true);
    return {norm.output,  norm.saveMean,   norm.saveInvstd, noReserve(call.tensor("input")),
            norm.newMean, norm.newVariance};
}

Decomposed batchNormNoUpdate(const DecompositionCall& call) {
    const BatchNorm norm = batchNorm(call, false, false);
    return {norm.output, norm.saveMean, norm.saveInvstd, noReserve(call.tensor("input"))};
}

Decomposed batchNormNoTraining(const DecompositionCall& call) {
    at::Tensor mean = call.tensor("running_mean");
    at::Tensor variance = call.tensor("running_var");
    const auto [output, saveMean, saveInvstd] = at::_native_batch_norm_legit(
        call.tensor("input"), call.optionalTensor("weight"), call.optionalTensor("bias"), mean, variance,
        false, call.number("momentum"), call.number("eps"));
    return {output, saveMean, saveInvstd};
}

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

void addNormalizationRows(OperatorRows& rows) {
    rows.add({"native_batch_norm"}, shapes::nativeBatchNorm, symbolic::batchNorm, ForBoth{nativeBatchNorm});
    rows.add({"cudnn_batch_norm"}, shapes::cudnnBatchNorm, vendorBatchNorm, ForAutograd{vendorBatchNorm});
    rows.add({"miopen_batch_norm"}, shapes::cudnnBatchNorm, InInductor{vendorBatchNorm},
             ForAutograd{vendorBatchNorm});
    rows.add({"native_batch_norm_backward"}, shapes::batchNormBackward, batchNormBackward);
    rows.add({"cudnn_batch_norm_backward", "miopen_batch_norm_backward"}, shapes::cudnnBatchNormBackward,
             vendorBatchNormBackward);
    rows.add({"_native_batch_norm_legit"}, shapes::nativeBatchNorm, symbolic::batchNorm,
             InInductor{batchNormLegit});
    rows.add({"_native_batch_norm_legit.no_stats"}, shapes::nativeBatchNorm, InInductor{batchNormLegit});
    rows.add({"_native_batch_norm_legit_functional"}, shapes::batchNormFunctional, symbolic::batchNorm,
             InInductor{batchNormFunctional});
    rows.add({"_batch_norm_with_update_functional"}, shapes::batchNormWithUpdateFunctional,
             InInductor{batchNormWithUpdate});
    rows.add({"_batch_norm_no_update"}, shapes::batchNormNoUpdate, InInductor{batchNormNoUpdate});
    rows.add({"_native_batch_norm_legit_no_training"}, shapes::batchNormNoTraining, symbolic::batchNorm,
             InInductor{batchNormNoTraining});
    rows.add({"batch_norm_backward"}, shapes::batchNormBackward, InInductor{batchNormBackward});
    rows.add({"_weight_norm_interface"}, shapes::weightNorm, decomposed::weightNorm);
    rows.add({"native_layer_norm_backward"}, shapes::nativeLayerNormBackward, symbolic::layerNormGradient,
             decomposed::layerNormBackward);
    rows.add({"native_group_norm_backward"}, shapes::nativeGroupNormBackward, symbolic::groupNormGradient,
             decomposed::groupNormBackward);
    rows.add({"_fused_rms_norm"}, shapes::fusedRmsNorm, decomposed::fusedRmsNorm);
    rows.add({"_fused_rms_norm_backward"}, shapes::fusedRmsNormBackward, decomposed::fusedRmsNormBackward);
    rows.add({"native_layer_norm"}, shapes::nativeLayerNorm, symbolic::layerNorm, symbolic::contiguousFormat,
             InInductor{decomposed::layerNorm});
    rows.add({"native_group_norm"}, shapes::nativeGroupNorm, symbolic::groupNorm,
             InInductor{decomposed::groupNorm});
    rows.add({"_batch_norm_with_update"}, shapes::batchNormWithUpdate);
    rows.add({"_weight_norm_interface_backward"}, shapes::like<1, 2>);
}

std::span<const Replacement> normalizationReplacements() {
    return normalizationTable;
}

} // namespace aotscope::torch
