#include "run/replacements/cpu_only.h"

#include "dispatch/schema_match.h"
#include "run/state/value_access.h"

#include "ir/operators/operator.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/_safe_softmax.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/native_layer_norm.h>
#include <ATen/ops/native_layer_norm_backward.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <limits>

namespace aotscope::torch {

namespace {

using c10::IValue;
using Args = std::vector<IValue>;

constexpr double minusInfinity = -std::numeric_limits<double>::infinity();

at::Tensor optionalTensor(const IValue& value) {
    return value.isTensor() ? value.toTensor() : at::Tensor();
}

/// In what the CPU's kernels compute small floats in.
at::Tensor asComputed(const at::Tensor& tensor) {
    return tensor.defined() && c10::isReducedFloatingType(tensor.scalar_type()) ? tensor.to(at::kFloat)
                                                                                : tensor;
}

// ---- aten._scaled_dot_product_flash_attention_for_cpu. Follows torch 2.11,
// ---- torch/_decomp/decompositions.py: scaled_dot_product_flash_attention_for_cpu.

/// What both directions begin with.
struct CpuAttention {
    at::Tensor query;
    at::Tensor key;
    at::Tensor value;
    /// Products of queries and keys, scaled and masked.
    at::Tensor scores;
    double scale = 1;
};

at::Tensor masked(const at::Tensor& scores, const IValue& mask, bool isCausal) {
    at::Tensor result = scores;
    if (isCausal) {
        const at::Tensor allowed =
            at::ones({scores.size(-2), scores.size(-1)}, scores.options().dtype(at::kBool)).tril();
        result = result.masked_fill(allowed.logical_not(), minusInfinity);
    }
    const at::Tensor bias = optionalTensor(mask);
    if (!bias.defined()) {
        return result;
    }
    return bias.scalar_type() == at::kBool ? result.masked_fill(bias.logical_not(), minusInfinity)
                                           : result + bias.to(result.scalar_type());
}

/// Several heads of queries may share one of keys and values.
at::Tensor forHeads(const at::Tensor& tensor, std::int64_t heads) {
    return tensor.size(1) == heads ? tensor : tensor.repeat_interleave(heads / tensor.size(1), 1);
}
at::Tensor sumOfHeads(const at::Tensor& gradient, std::int64_t heads) {
    return gradient.size(1) == heads ? gradient
                                     : gradient.unflatten(1, {heads, gradient.size(1) / heads}).sum(2);
}

CpuAttention attentionOf(const IValue& query, const IValue& key, const IValue& value, const IValue& isCausal,
                         const IValue& mask, const IValue& scale) {
    const std::int64_t heads = query.toTensor().size(1);
    CpuAttention made{asComputed(query.toTensor()),
                      forHeads(asComputed(key.toTensor()), heads),
                      forHeads(asComputed(value.toTensor()), heads),
                      {},
                      1};
    made.scale = scale.isNone() ? 1 / std::sqrt(static_cast<double>(made.query.size(-1)))
                                : scale.toScalar().toDouble();
    made.scores =
        masked(at::matmul(made.query, made.key.transpose(-2, -1)) * made.scale, mask, isCausal.toBool());
    return made;
}

/// The order of batch, position and head in which the CPU's kernel lays out all but the output, which is laid
/// out as the queries are.
at::Tensor positionsBeforeHeads(const at::Tensor& tensor, c10::ScalarType dtype) {
    return tensor.transpose(1, 2).to(dtype).contiguous().transpose(1, 2);
}

void sayAttention(RunContext& context) {
    context.note(
        "Attention by the CPU's own kernel is computed by matrix products and a softmax on the GPU.");
}

IValue attention(const Args& args, RunContext& context) {
    sayAttention(context);
    const CpuAttention made = attentionOf(args[0], args[1], args[2], args[4], args[5], args[6]);
    const at::Tensor output = at::matmul(at::_safe_softmax(made.scores, -1), made.value);
    return c10::ivalue::Tuple::create(
        {at::empty_like(args[0].toTensor()).copy_(output),
         positionsBeforeHeads(at::logsumexp(made.scores, {-1}), made.scores.scalar_type())});
}

IValue attentionBackward(const Args& args, RunContext& context) {
    sayAttention(context);
    const CpuAttention made = attentionOf(args[1], args[2], args[3], args[7], args[8], args[9]);
    const at::Tensor gradient = asComputed(args[0].toTensor());
    const at::Tensor logSumExp = args[5].toTensor().unsqueeze(-1);
    // A row that is masked as a whole has no probabilities.
    const at::Tensor probabilities = at::where(
        logSumExp == minusInfinity, at::zeros({}, made.scores.options()), at::exp(made.scores - logSumExp));
    const at::Tensor ofProbabilities = at::matmul(gradient, made.value.transpose(-2, -1));
    const at::Tensor ofRow = (gradient * asComputed(args[4].toTensor())).sum(-1, true);
    const at::Tensor ofProducts = probabilities * (ofProbabilities - ofRow) * made.scale;
    const auto as = [](const at::Tensor& of, const IValue& operand) {
        const at::Tensor& tensor = operand.toTensor();
        return positionsBeforeHeads(sumOfHeads(of, tensor.size(1)), tensor.scalar_type());
    };
    return c10::ivalue::Tuple::create({as(at::matmul(ofProducts, made.key), args[1]),
                                       as(at::matmul(ofProducts.transpose(-2, -1), made.query), args[2]),
                                       as(at::matmul(probabilities.transpose(-2, -1), gradient), args[3])});
}

bool always(const Args&) {
    return true;
}

// ---- Layer norms of small floats with float32 weights.

bool hasWeightOf(const at::Tensor& input, const IValue& weight) {
    const at::Tensor tensor = optionalTensor(weight);
    return tensor.defined() && tensor.scalar_type() != input.scalar_type();
}

/// The bias is the argument behind the weight.
template<std::size_t Input, std::size_t Weight>
bool mixesLayerNorm(const Args& args) {
    const at::Tensor input = args[Input].toTensor();
    return hasWeightOf(input, args[Weight]) || hasWeightOf(input, args[Weight + 1]);
}

void sayLayerNorm(RunContext& context) {
    context.note(
        "A layer norm whose weight has another dtype than its input is computed in float32 on the GPU.");
}

IValue mixedLayerNorm(const Args& args, RunContext& context) {
    sayLayerNorm(context);
    const at::Tensor input = args[0].toTensor();
    auto [output, mean, scale] =
        at::native_layer_norm(asComputed(input), args[1].toIntVector(), asComputed(optionalTensor(args[2])),
                              asComputed(optionalTensor(args[3])), args[4].toDouble());
    return c10::ivalue::Tuple::create({output.to(input.scalar_type()), mean, scale});
}

IValue layerNormBackward(const Args& args, RunContext& context) {
    sayLayerNorm(context);
    const at::Tensor input = args[1].toTensor();
    const at::Tensor weight = optionalTensor(args[5]);
    const at::Tensor bias = optionalTensor(args[6]);
    const auto flags = args[7].toBoolList();
    auto [ofInput, ofWeight, ofBias] = at::native_layer_norm_backward(
        asComputed(args[0].toTensor()), asComputed(input), args[2].toIntVector(),
        asComputed(args[3].toTensor()), asComputed(args[4].toTensor()), asComputed(weight), asComputed(bias),
        {flags.get(0), flags.get(1), flags.get(2)});
    const auto as = [](const at::Tensor& gradient, const at::Tensor& of) {
        return gradient.defined() && of.defined() ? gradient.to(of.scalar_type()) : gradient;
    };
    return c10::ivalue::Tuple::create({as(ofInput, input), as(ofWeight, weight), as(ofBias, bias)});
}

/// In the order of ir::CpuOnlyCall.
struct CpuOnly {
    bool (*applies)(const Args& args) = nullptr;
    IValue (*compute)(const Args& args, RunContext& context) = nullptr;
};

constexpr CpuOnly cpuOnlyCalls[] = {{},
                                    {always, attention},
                                    {always, attentionBackward},
                                    {mixesLayerNorm<0, 2>, mixedLayerNorm},
                                    {mixesLayerNorm<1, 5>, layerNormBackward}};

/// Null: none.
const CpuOnly* cpuOnlyOf(std::string_view target) {
    const ir::CpuOnlyCall call = ir::Operator(target)->cpuOnly;
    return call == ir::CpuOnlyCall::None ? nullptr : &cpuOnlyCalls[static_cast<std::size_t>(call)];
}

} // namespace

bool hasCpuOnlyCalls(std::string_view target) {
    return cpuOnlyOf(target) != nullptr;
}

bool isCpuOnly(std::string_view target, const Args& args) {
    const CpuOnly* row = cpuOnlyOf(target);
    return row != nullptr && row->applies(args);
}

std::optional<IValue> callCpuOnly(const c10::OperatorHandle& op, std::string_view target, const Args& args,
                                  const NamedValues& kwargs, RunContext& context) {
    const CpuOnly* row = cpuOnlyOf(target);
    if (row == nullptr) {
        return std::nullopt;
    }
    const Args matched = matchSchema(op.schema(), args, kwargs);
    return row->applies(matched) ? std::optional(row->compute(matched, context)) : std::nullopt;
}

} // namespace aotscope::torch
