#include "dispatch/release_rules.h"
#include "fake/meta/device_hint.h"
#include "fake/meta/layouts.h"
#include "fake/meta/rules.h"

#include <algorithm>
#include <array>
#include <initializer_list>

namespace aotscope::torch::shapes {

namespace {

/// Statistics keep the dtype they are computed in on CUDA; the CPU rounds them to the input's.
c10::ScalarType statisticsType(const at::Tensor& input) {
    const c10::ScalarType type = input.scalar_type();
    return fakingCuda() ? computeTypeOf(type) : type;
}

at::Tensor wanted(bool flag, const at::Tensor& tensor) {
    return flag ? tensor : at::Tensor();
}

c10::ScalarType typeOf(const at::Tensor& tensor, const at::Tensor& otherwise) {
    return tensor.defined() ? tensor.scalar_type() : otherwise.scalar_type();
}

/// `Tensor.contiguous()`: a contiguous tensor is returned itself and keeps its strides for dimensions of size
/// 1.
at::Tensor contiguous(const at::Tensor& tensor) {
    return tensor.is_contiguous() ? tensor : emptyContiguous(tensor);
}

/// `tensor.to(dtype, memory_format=contiguous_format)`: the tensor itself if both fit already.
at::Tensor contiguousIn(const at::Tensor& tensor, c10::ScalarType type) {
    const bool asItIs =
        tensor.scalar_type() == type && tensor.suggest_memory_format() == c10::MemoryFormat::Contiguous;
    return asItIs ? tensor : emptyContiguous(tensor, type);
}

/// Intermediate results that gradients of normalizations share.
struct Normalized {
    at::Tensor gradOut;
    at::Tensor weightedGrad;
    at::Tensor input;
    c10::ScalarType compute;

    explicit Normalized(const ShapeCall& call) {
        input = call.tensor("input");
        compute = computeTypeOf(input.scalar_type());
        gradOut = contiguousIn(call.tensor("grad_out"), compute);
        input = contiguousIn(input, compute);
        const at::Tensor weight = call.tensor("weight");
        weightedGrad = weight.defined() ? of({gradOut, weight}) : gradOut;
    }

    at::Tensor of(std::initializer_list<at::Tensor> operands) const { return elementwise(operands, compute); }
};

/// The gradient of a parameter: a sum over the batch dimensions; without them it has the layout of `whole`.
at::Tensor parameterGradient(const at::Tensor& whole, at::IntArrayRef normalized, c10::ScalarType type) {
    return whole.dim() == static_cast<std::int64_t>(normalized.size()) ? emptyLike(whole, type)
                                                                       : newEmpty(whole, normalized, type);
}

/// [1, channels, 1, …]: a value per channel, broadcast over the input.
at::Tensor perChannel(const at::Tensor& input, c10::ScalarType type) {
    Sizes sizes(static_cast<std::size_t>(input.dim()), 1);
    sizes[1] = input.size(1);
    return newEmpty(input, sizes, type);
}

/// The output, and the saved mean and deviation.
ShapeResults batchNorm(const at::Tensor& input, bool training) {
    const c10::ScalarType compute = computeTypeOf(input.scalar_type());
    // In evaluation the CPU saves nothing, and CUDA saves the running statistics.
    const std::int64_t saved = training || fakingCuda() ? input.size(1) : 0;
    return {elementwise({input, perChannel(input, compute)}, input.scalar_type()),
            newEmpty(input, {saved}, statisticsType(input)), newEmpty(input, {saved}, statisticsType(input))};
}

/// A running statistic after the update; its dtype is promoted with that of the batch's statistic.
at::Tensor updated(const at::Tensor& running, const at::Tensor& input) {
    if (!running.defined()) {
        return running;
    }
    const c10::ScalarType batch = computeTypeOf(input.scalar_type());
    return newEmpty(running, running.sizes(), c10::promoteTypes(running.scalar_type(), batch));
}

ShapeResults withUpdated(ShapeResults results, const ShapeCall& call) {
    for (const char* statistic : {"running_mean", "running_var"}) {
        results.emplace_back(updated(call.tensor(statistic), call.tensor("input")));
    }
    return results;
}

/// The buffer that cuDNN saves for the backward: only cuDNN knows its size, other backends leave it empty.
at::Tensor reserve(const at::Tensor& input) {
    return newEmpty(input, {0}, c10::kByte);
}

ShapeResults batchNormWithReserve(const ShapeCall& call, bool training) {
    ShapeResults results = batchNorm(call.tensor("input"), training);
    results.emplace_back(reserve(call.tensor("input")));
    return results;
}

struct Groups {
    std::int64_t batch = 0;
    std::int64_t channels = 0;
    std::int64_t area = 0;
    std::int64_t groups = 0;

    explicit Groups(const ShapeCall& call)
        : batch(call.integer("N")),
          channels(call.integer("C")),
          area(call.integer("HxW")),
          groups(call.integer("group")) {}

    at::Tensor grouped(const at::Tensor& tensor) const {
        return tensor.reshape({batch, groups, channels / groups, area});
    }
};

} // namespace

ShapeResults nativeLayerNorm(const ShapeCall& call) {
    const at::Tensor input = call.tensor("input");
    const Sizes normalized = call.integers("normalized_shape");
    const std::int64_t axis = input.dim() - static_cast<std::int64_t>(normalized.size());
    TORCH_CHECK(!normalized.empty() && axis >= 0 &&
                    input.sizes().slice(static_cast<std::size_t>(axis)) == at::IntArrayRef(normalized),
                "Given normalized_shape=", at::IntArrayRef(normalized),
                ", expected input with that shape at its end, but got input of size ", input.sizes());
    Sizes statistics = sizesOf(input);
    std::fill(statistics.begin() + axis, statistics.end(), 1);
    const at::Tensor mean = newEmpty(input, statistics, statisticsType(input));
    return {elementwise({contiguous(input), mean}, input.scalar_type()), mean, emptyContiguous(mean)};
}

ShapeResults nativeLayerNormBackward(const ShapeCall& call) {
    const at::Tensor input = call.tensor("input");
    const at::Tensor weight = call.tensor("weight");
    const at::Tensor bias = call.tensor("bias");
    const Sizes normalized = call.integers("normalized_shape");
    const std::vector<bool> mask = call.flags("output_mask");
    if (input.numel() == 0) {
        // Zeros, whether there is a weight or not.
        return {wanted(mask[0], emptyContiguous(input)), wanted(mask[1], newEmpty(input, normalized)),
                wanted(mask[2], newEmpty(input, normalized))};
    }
    // The sizes of sums are taken from the input, not from `normalized_shape`.
    const Sizes summed(input.sizes().end() - static_cast<std::ptrdiff_t>(normalized.size()),
                       input.sizes().end());
    const at::Tensor rstd = call.tensor("rstd");
    const Normalized parts(call);
    const at::Tensor scaled = parts.of({parts.of({parts.input, rstd}), rstd});
    const at::Tensor centered =
        parts.of({parts.of({parts.of({parts.weightedGrad}), rstd}), parts.of({scaled, rstd})});
    return {wanted(mask[0], elementwise({rstd, centered}, input.scalar_type())),
            wanted(mask[1] && weight.defined(),
                   parameterGradient(parts.of({parts.gradOut, scaled}), summed, typeOf(weight, input))),
            wanted(mask[2] && bias.defined(), parameterGradient(parts.gradOut, summed, typeOf(bias, input)))};
}

ShapeResults nativeBatchNorm(const ShapeCall& call) {
    return batchNorm(call.tensor("input"), call.flag("training"));
}

ShapeResults batchNormNoTraining(const ShapeCall& call) {
    ShapeResults results = batchNorm(call.tensor("input"), false);
    // On CUDA the saved mean is a copy of the running mean.
    const at::Tensor mean = call.tensor("running_mean");
    if (fakingCuda() && mean.is_non_overlapping_and_dense()) {
        results[1] = newStrided(mean, mean.sizes(), mean.strides(), results[1].toTensor().scalar_type());
    }
    return results;
}

ShapeResults batchNormFunctional(const ShapeCall& call) {
    return withUpdated(nativeBatchNorm(call), call);
}

ShapeResults batchNormWithUpdate(const ShapeCall& call) {
    return batchNormWithReserve(call, true);
}

ShapeResults batchNormWithUpdateFunctional(const ShapeCall& call) {
    return withUpdated(batchNormWithUpdate(call), call);
}

ShapeResults batchNormNoUpdate(const ShapeCall& call) {
    return batchNormWithReserve(call, false);
}

ShapeResults batchNormBackward(const ShapeCall& call) {
    const at::Tensor gradOut = call.tensor("grad_out");
    const at::Tensor input = call.tensor("input");
    const at::Tensor weight = call.tensor("weight");
    const std::vector<bool> mask = call.flags("output_mask");
    const bool train = call.flag(call.has("train") ? "train" : "update");
    const c10::ScalarType compute = computeTypeOf(input.scalar_type());
    const at::Tensor channels = perChannel(input, compute);
    const auto of = [compute](std::initializer_list<at::Tensor> operands) {
        return elementwise(operands, compute);
    };
    const at::Tensor base = train ? of({gradOut, of({of({input, channels}), channels})}) : gradOut;
    const at::Tensor gradInput = elementwise({base, channels}, input.scalar_type());
    const c10::ScalarType type = typeOf(weight, input);
    return {gradInput, wanted(mask[1], newEmpty(input, {input.size(1)}, type)),
            wanted(mask[2], newEmpty(input, {input.size(1)}, type))};
}

ShapeResults cudnnBatchNorm(const ShapeCall& call) {
    const at::Tensor input = call.tensor("input");
    const at::Tensor weight = call.tensor("weight");
    const std::int64_t saved = call.flag("training") ? weight.numel() : 0;
    ShapeResults results = {newEmpty(input, input.sizes(), input.suggest_memory_format()),
                            newEmpty(weight, {saved}), newEmpty(weight, {saved})};
    if (call.schema().returns().size() == 4) {
        results.emplace_back(reserve(input));
    }
    return results;
}

ShapeResults cudnnBatchNormBackward(const ShapeCall& call) {
    const at::Tensor input = call.tensor("input");
    const at::Tensor weight = call.tensor("weight");
    return {newEmpty(input, input.sizes(), input.suggest_memory_format()), emptyContiguous(weight),
            emptyContiguous(weight)};
}

ShapeResults nativeGroupNorm(const ShapeCall& call) {
    at::Tensor input = call.tensor("input");
    const bool keepsFormat = traceRules().groupNormMakesItsInputContiguous;
    const c10::MemoryFormat format = input.suggest_memory_format();
    input = keepsFormat ? input.contiguous(format) : input;
    const at::Tensor weight = call.tensor("weight");
    const Groups groups(call);
    at::Tensor output;
    // Where the operator's reference is its meta kernel it sees a meta tensor, no tensor of the CPU.
    if (!keepsFormat && !fakingCuda() && weight.defined()) {
        Sizes factors(static_cast<std::size_t>(input.dim()), 1);
        factors[0] = groups.batch;
        factors[1] = groups.channels;
        const std::array operands = {input, newEmpty(input, factors)};
        output = elementwise(operands, input.scalar_type());
    } else {
        const std::array operands = {groups.grouped(input),
                                     newEmpty(input, {groups.batch, groups.groups, 1, 1})};
        output = elementwise(operands, input.scalar_type()).view(input.sizes());
        if (weight.defined()) {
            output = elementwise({output, perChannel(input, input.scalar_type())}, input.scalar_type());
        }
    }
    output = keepsFormat ? output.contiguous(format) : output;
    const Sizes statistics = {groups.batch, groups.groups};
    return {output, newEmpty(input, statistics), newEmpty(input, statistics)};
}

/// All gradients have the dtype that the operands are promoted to (`pw_cast_for_opmath`).
ShapeResults nativeGroupNormBackward(const ShapeCall& call) {
    const at::Tensor input = call.tensor("input");
    const at::Tensor weight = call.tensor("weight");
    c10::ScalarType type = input.scalar_type();
    for (const at::Tensor& operand :
         {call.tensor("grad_out"), call.tensor("mean"), call.tensor("rstd"), weight}) {
        type = operand.defined() ? c10::promoteTypes(type, operand.scalar_type()) : type;
    }
    const Groups groups(call);
    const std::vector<bool> mask = call.flags("output_mask");
    const at::Tensor perGroup = newEmpty(input, {groups.batch, groups.groups, 1, 1});
    at::Tensor gradInput = elementwise({elementwise({groups.grouped(call.tensor("grad_out")),
                                                     newEmpty(input, {groups.batch, groups.groups,
                                                                      groups.channels / groups.groups, 1})}),
                                        elementwise({groups.grouped(input), perGroup}), perGroup},
                                       type)
                               .reshape(input.sizes());
    if (traceRules().decompositions.groupNormBackwardCallsAddcmul) {
        gradInput = gradInput.contiguous(input.suggest_memory_format());
    }
    return {wanted(mask[0], gradInput), wanted(mask[1], newEmpty(input, {groups.channels}, type)),
            wanted(mask[2], newEmpty(input, {groups.channels}, type))};
}

ShapeResults fusedRmsNorm(const ShapeCall& call) {
    const at::Tensor input = call.tensor("input");
    const std::size_t axis = static_cast<std::size_t>(input.dim()) - call.integers("normalized_shape").size();
    Sizes statistics = sizesOf(input);
    std::fill(statistics.begin() + static_cast<std::ptrdiff_t>(axis), statistics.end(), 1);
    const c10::ScalarType compute = computeTypeOf(input.scalar_type());
    return {newEmpty(input, input.sizes(), input.suggest_memory_format()),
            newEmpty(input, statistics, compute)};
}

ShapeResults fusedRmsNormBackward(const ShapeCall& call) {
    const at::Tensor input = call.tensor("input");
    const at::Tensor weight = call.tensor("weight");
    const Sizes normalized = call.integers("normalized_shape");
    const std::vector<bool> mask = call.flags("output_mask");
    const at::Tensor rstd = call.tensor("rstd");
    if (input.numel() == 0) {
        return {wanted(mask[0], emptyContiguous(input)), wanted(mask[1], newEmpty(input, normalized))};
    }
    const Normalized parts(call);
    const at::Tensor scaled = parts.of({parts.input, rstd});
    return {wanted(mask[0], elementwise({parts.of({parts.weightedGrad, parts.of({scaled, rstd})}), rstd},
                                        input.scalar_type())),
            wanted(mask[1] && weight.defined(),
                   parameterGradient(parts.of({parts.gradOut, scaled}), normalized, input.scalar_type()))};
}

ShapeResults weightNorm(const ShapeCall& call) {
    const at::Tensor v = call.tensor("v");
    const at::Tensor g = call.tensor("g");
    Sizes norms(static_cast<std::size_t>(v.dim()), 1);
    const auto dim = static_cast<std::size_t>(c10::maybe_wrap_dim(call.integer("dim"), v.dim()));
    const aot::DecompositionRules& rules = traceRules().decompositions;
    if (v.dim() > 1 || rules.weightNormOfVectorIsItself) {
        norms[dim] = v.sizes()[dim];
    }
    const bool inFloat =
        g.scalar_type() == c10::kBFloat16 || (g.scalar_type() == c10::kHalf && rules.weightNormKeepsDtype);
    const c10::ScalarType type = inFloat ? c10::kFloat : g.scalar_type();
    return {emptyLike(v), newEmpty(g, norms, type)};
}

} // namespace aotscope::torch::shapes
