#include "operators/operator_rows.h"

#include "decompositions/all_decompositions.h"
#include "dispatch/failure.h"
#include "dispatch/release_rules.h"
#include "fake/meta/layouts.h"
#include "run/replacements/replacements.h"
#include "run/state/value_access.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <array>

/// Attention.
namespace aotscope::torch {

namespace {

std::int64_t roundedUp(std::int64_t value, std::int64_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

/// CUDA's random seed or offset: a zero-dimensional tensor.
at::Tensor seedOf(const at::Tensor& like, c10::ScalarType type = c10::kLong) {
    return newEmpty(like, {}, type);
}

/// [batch, heads, length, features] stored as [batch, length, heads, features].
at::Tensor headsInside(const at::Tensor& like, at::IntArrayRef sizes) {
    constexpr std::array<std::int64_t, 4> order = {0, 2, 1, 3};
    return newPermuted(like, sizes, order);
}

/// Float8 queries give bfloat16 results.
at::Tensor attentionLike(const at::Tensor& query) {
    return query.scalar_type() == c10::kFloat8_e4m3fn ? emptyLike(query, c10::kBFloat16) : emptyLike(query);
}

/// The dropout mask that flash attention returns for debugging, padded as by its kernel.
at::Tensor debugMask(const ShapeCall& call, const at::Tensor& query, std::int64_t batch, std::int64_t heads,
                     std::int64_t lengthQ, std::int64_t lengthK) {
    const c10::ScalarType type = attentionLike(query).scalar_type();
    if (!call.flag("return_debug_mask")) {
        return newEmpty(query, {0}, type);
    }
    const std::int64_t block = query.size(-1) > 64 ? 128 : 256;
    std::int64_t columns = (lengthQ + block - 1) / block;
    if (lengthK <= 128) {
        columns = 128;
    } else if (lengthK <= 256) {
        columns = 256;
    }
    return newEmpty(query, {batch, heads, lengthQ, columns}, type);
}

/// A result of other sizes with the query's order of dimensions.
at::Tensor inOrderOf(const at::Tensor& query, const Sizes& sizes) {
    if (query.sizes() == at::IntArrayRef(sizes)) {
        return emptyLike(query);
    }
    std::array<std::int64_t, 4> order = {0, 1, 2, 3};
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t one, std::int64_t other) {
        return query.stride(one) > query.stride(other);
    });
    return newPermuted(query, sizes, order);
}

/// The sums that are kept for the gradient have a last dimension of one element, or none.
template<bool hasLast>
ShapeResults fusedAttention(const ShapeCall& call) {
    const at::Tensor query = call.tensor("query");
    Sizes logSumExp = {query.size(0), query.size(1), query.size(2)};
    logSumExp.resize(hasLast ? 4 : 3, 1);
    const Sizes sizes = {query.size(0), query.size(1), query.size(2), call.tensor("value").size(-1)};
    return {inOrderOf(query, sizes),
            newEmpty(query, logSumExp, c10::kFloat),
            at::Tensor(),
            at::Tensor(),
            query.size(2),
            call.tensor("key").size(2),
            seedOf(query),
            seedOf(query),
            at::Tensor()};
}

/// The gradient of a bias: a view of a tensor whose rows are padded to a multiple of 16 elements.
at::Tensor biasGradient(const at::Tensor& bias) {
    Sizes padded = sizesOf(bias);
    padded.back() = roundedUp(padded.back(), 16);
    return newEmpty(bias, padded).as_strided(bias.sizes(), contiguousStrides(padded));
}

ShapeResults flashForCpu(const ShapeCall& call) {
    const at::Tensor query = call.tensor("query");
    const Sizes sizes = {query.size(0), query.size(1), query.size(2)};
    constexpr std::array<std::int64_t, 3> order = {0, 2, 1};
    const bool isDouble =
        query.scalar_type() == c10::kDouble && traceRules().decompositions.attentionSumsInOpmath;
    return {emptyLike(query), newPermuted(query, sizes, order, isDouble ? c10::kDouble : c10::kFloat)};
}

ShapeResults flashForCpuBackward(const ShapeCall& call) {
    ShapeResults results;
    for (const char* name : {"query", "key", "value"}) {
        const at::Tensor tensor = call.tensor(name);
        results.emplace_back(headsInside(tensor, tensor.sizes()));
    }
    return results;
}

ShapeResults flash(const ShapeCall& call) {
    const at::Tensor query = call.tensor("query");
    const std::int64_t lengthQ = query.size(2);
    const std::int64_t lengthK = call.tensor("key").size(2);
    return {attentionLike(query),
            newEmpty(query, {query.size(0), query.size(1), lengthQ}, c10::kFloat),
            at::Tensor(),
            at::Tensor(),
            lengthQ,
            lengthK,
            newEmpty(query, {2}, c10::kUInt64),
            seedOf(query, c10::kUInt64),
            debugMask(call, query, query.size(0), query.size(1), lengthQ, lengthK)};
}

/// Gradients with the layouts of query, key and value.
ShapeResults likeQueryKeyValue(const ShapeCall& call) {
    return {emptyLike(call.tensor("query")), emptyLike(call.tensor("key")), emptyLike(call.tensor("value"))};
}

ShapeResults efficient(const ShapeCall& call) {
    const at::Tensor query = call.tensor("query");
    const Sizes sizes = {query.size(0), query.size(1), query.size(2), call.tensor("value").size(-1)};
    const std::int64_t padded = call.flag("compute_log_sumexp") ? roundedUp(query.size(2), 32) : 0;
    return {headsInside(query, sizes), newEmpty(query, {query.size(0), query.size(1), padded}, c10::kFloat),
            seedOf(query), seedOf(query)};
}

ShapeResults efficientBackward(const ShapeCall& call) {
    const at::Tensor query = call.tensor("query");
    const at::Tensor key = call.tensor("key");
    const at::Tensor value = call.tensor("value");
    const Sizes keySizes = {query.size(0), query.size(1), key.size(2), query.size(3)};
    const Sizes valueSizes = {query.size(0), query.size(1), key.size(2), value.size(3)};
    const at::Tensor bias = call.tensor("attn_bias");
    const bool wantsBias = bias.defined() && call.flags("grad_input_mask")[3];
    return {headsInside(query, query.sizes()), headsInside(key, keySizes), headsInside(value, valueSizes),
            wantsBias ? biasGradient(bias) : at::Tensor()};
}

ShapeResults flashForward(const ShapeCall& call) {
    const at::Tensor query = call.tensor("query");
    const at::Tensor offsetsQ = call.tensor("cum_seq_q");
    const at::Tensor offsetsK = call.tensor("cum_seq_k");
    const std::int64_t batch = offsetsQ.defined() ? offsetsQ.numel() - 1 : query.size(0);
    const std::int64_t lengthQ = offsetsQ.defined() ? call.integer("max_q") : query.size(1);
    const std::int64_t lengthK = offsetsK.defined() ? call.integer("max_k") : call.tensor("key").size(1);
    const std::int64_t heads = query.size(-2);
    const Sizes logSumExp = offsetsQ.defined() ? Sizes{heads, query.size(0)} : Sizes{batch, heads, lengthQ};
    return {attentionLike(query), newEmpty(query, logSumExp, c10::kFloat), newEmpty(query, {2}, c10::kUInt64),
            seedOf(query, c10::kUInt64), debugMask(call, query, batch, heads, lengthQ, lengthK)};
}

ShapeResults efficientForward(const ShapeCall& call) {
    const at::Tensor query = call.tensor("query");
    const at::Tensor offsets = call.tensor("cu_seqlens_q");
    const std::int64_t lengthQ = offsets.defined() ? call.integer("max_seqlen_q") : query.size(1);
    const std::int64_t lengthK =
        call.has("max_seqlen_k") ? call.integer("max_seqlen_k") : call.tensor("key").size(1);
    const std::int64_t batch = offsets.defined() ? offsets.size(0) - 1 : query.size(0);
    const std::int64_t padded = call.flag("compute_log_sumexp") ? roundedUp(lengthQ, 32) : 0;
    return {newEmpty(query, {query.size(0), query.size(1), query.size(-2), call.tensor("value").size(-1)}),
            newEmpty(query, {batch, query.size(-2), padded}, c10::kFloat),
            seedOf(query),
            seedOf(query),
            lengthQ,
            lengthK};
}

ShapeResults efficientAttentionBackward(const ShapeCall& call) {
    const at::Tensor query = call.tensor("query");
    const at::Tensor bias = call.tensor("bias");
    ShapeResults results = likeQueryKeyValue(call);
    if (call.flag("shared_storage_dqdkdv")) {
        Sizes chunk = sizesOf(query);
        chunk.insert(chunk.end() - 2, 3);
        const at::Tensor shared = newEmpty(query, chunk);
        for (std::size_t i = 0; i < 3; ++i) {
            results[i] = shared.select(-3, static_cast<std::int64_t>(i));
        }
    }
    results.emplace_back(bias.defined() ? biasGradient(bias) : newEmpty(query, {}, c10::kFloat));
    return results;
}

/// Attention on the CPU. The output is stored as [batch, length, heads, features] and the sums that are kept
/// for the gradient as [batch, length, heads]; both are viewed with the heads before the length.
SymbolicShape flashForCpuLayout(const FakeCall& call, std::size_t result) {
    const SymbolicSizes query = call.sizes();
    if (query.size() != 4 || result > 1) {
        return {};
    }
    const c10::SymInt perQuery = query[1].max(1) * query[3].max(1);
    if (result == 0) {
        return {{}, {perQuery * query[2].max(1), query[3].max(1), perQuery, 1}, {}};
    }
    return {{query[0], query[1], query[2]}, {query[2].max(1) * query[1].max(1), 1, query[1].max(1)}, {}};
}

using c10::IValue;
using Args = std::vector<IValue>;

constexpr char flashOnCpu[] = "aten._scaled_dot_product_flash_attention_for_cpu.default";
constexpr char flashOnCpuBackward[] = "aten._scaled_dot_product_flash_attention_for_cpu_backward.default";

void sayOnCpu(const IValue& dropout, RunContext& context) {
    context.note("Attention written for a GPU ran with the CPU's kernel.");
    if (dropout.isDouble() && dropout.toDouble() > 0) {
        context.note("The dropout inside attention is left out: the CPU's kernel has none.");
    }
}

bool isSet(const IValue& value) {
    return value.isBool() && value.toBool();
}

/// Output and log-sum-exp of shape [batch, heads, queries].
std::pair<at::Tensor, at::Tensor> runForward(const Args& qkv, const IValue& bias, bool causal,
                                             const IValue& scale) {
    const IValue result =
        callAten(flashOnCpu, {qkv[0], qkv[1], qkv[2], 0.0, causal}, {{"attn_mask", bias}, {"scale", scale}});
    const auto& parts = result.toTupleRef().elements();
    return {parts[0].toTensor(), parts[1].toTensor()};
}

IValue attentionSeed() {
    return at::zeros({}, at::TensorOptions(c10::kLong));
}

std::int64_t lengthOf(const IValue& tensor) {
    const at::Tensor value = tensorArgument(tensor);
    if (value.dim() != 4) {
        fail("run.arguments", "Attention needs tensors of four dimensions.");
    }
    return value.size(2);
}

IValue runFlash(const Args& args, RunContext& context) {
    sayOnCpu(args[3], context);
    const auto [output, logSumExp] = runForward(args, {}, isSet(args[4]), args[6]);
    return c10::ivalue::Tuple::create({output, logSumExp, IValue(), IValue(), lengthOf(args[0]),
                                       lengthOf(args[1]), at::zeros({2}, at::TensorOptions(c10::kUInt64)),
                                       at::zeros({}, at::TensorOptions(c10::kUInt64)),
                                       at::empty({0}, output.options())});
}

IValue runBackward(const Args& gradQkv, const IValue& output, const IValue& logSumExp, const IValue& bias,
                   bool causal, const IValue& scale) {
    // GPU kernels pad the query dimension of the log-sum-exp.
    const at::Tensor saved = tensorArgument(logSumExp);
    const std::int64_t queries = lengthOf(gradQkv[1]);
    if (saved.dim() < 3 || saved.size(2) < queries) {
        fail("run.arguments", "The saved log-sum-exp of attention does not have the shape of its queries.");
    }
    return callAten(
        flashOnCpuBackward,
        {gradQkv[0], gradQkv[1], gradQkv[2], gradQkv[3], output, saved.narrow(2, 0, queries), 0.0, causal},
        {{"attn_mask", bias}, {"scale", scale}});
}

IValue runFlashBackward(const Args& args, RunContext& context) {
    sayOnCpu(args[10], context);
    return runBackward(args, args[4], args[5], {}, isSet(args[11]), args[14]);
}

/// The mask for the CPU's kernel; None for an empty or undefined one.
IValue biasOf(const IValue& bias) {
    return bias.isTensor() && bias.toTensor().defined() && bias.toTensor().numel() != 0 ? bias : IValue();
}

IValue runEfficient(const Args& args, RunContext& context) {
    sayOnCpu(args[5], context);
    auto [output, logSumExp] = runForward(args, biasOf(args[3]), isSet(args[6]), args[7]);
    const std::int64_t queries = isSet(args[4]) ? lengthOf(args[0]) : 0;
    std::vector<std::int64_t> shape{output.size(0), output.size(1), (queries + 31) / 32 * 32};
    at::Tensor padded = at::zeros(shape, logSumExp.options().dtype(c10::kFloat));
    if (queries != 0) {
        padded.narrow(2, 0, queries).copy_(logSumExp);
    }
    return c10::ivalue::Tuple::create({output, padded, attentionSeed(), attentionSeed()});
}

IValue runEfficientBackward(const Args& args, RunContext& context) {
    sayOnCpu(args[9], context);
    const IValue bias = biasOf(args[4]);
    const IValue result = runBackward(args, args[5], args[6], bias, isSet(args[11]), args[12]);
    const auto& parts = result.toTupleRef().elements();
    const IValue biasGradient = bias.isNone() ? IValue() : IValue(at::zeros_like(bias.toTensor()));
    if (!bias.isNone()) {
        context.note("The gradient of an attention bias is left at zero: the CPU's kernel computes none.");
    }
    return c10::ivalue::Tuple::create({parts[0], parts[1], parts[2], biasGradient});
}

IValue runCudnn(const Args& args, RunContext& context) {
    sayOnCpu(args[5], context);
    const auto [output, logSumExp] = runForward(args, biasOf(args[3]), isSet(args[6]), args[8]);
    return c10::ivalue::Tuple::create({output, logSumExp.unsqueeze(-1), IValue(), IValue(), lengthOf(args[0]),
                                       lengthOf(args[1]), attentionSeed(), attentionSeed(), IValue()});
}

IValue runCudnnBackward(const Args& args, RunContext& context) {
    sayOnCpu(args[13], context);
    return runBackward(args, args[4], args[5], biasOf(args[8]), isSet(args[14]), args[15]);
}

constexpr Replacement attentionTable[] = {
    {"aten._scaled_dot_product_flash_attention.default",
     "query key value dropout_p is_causal return_debug_mask scale", runFlash},
    {"aten._scaled_dot_product_flash_attention_backward.default",
     "grad_out query key value out logsumexp cum_seq_q cum_seq_k max_q max_k dropout_p is_causal philox_seed "
     "philox_offset scale",
     runFlashBackward},
    {"aten._scaled_dot_product_efficient_attention.default",
     "query key value attn_bias compute_log_sumexp dropout_p is_causal scale", runEfficient},
    {"aten._scaled_dot_product_efficient_attention_backward.default",
     "grad_out_ query key value attn_bias out logsumexp philox_seed philox_offset dropout_p grad_input_mask "
     "is_causal scale",
     runEfficientBackward},
    {"aten._scaled_dot_product_cudnn_attention.default",
     "query key value attn_bias compute_log_sumexp dropout_p is_causal return_debug_mask scale", runCudnn},
    {"aten._scaled_dot_product_cudnn_attention_backward.default",
     "grad_out query key value out logsumexp philox_seed philox_offset attn_bias cum_seq_q cum_seq_k max_q "
     "max_k "
     "dropout_p is_causal scale",
     runCudnnBackward},
};

} // namespace

void addAttentionRows(OperatorRows& rows) {
    rows.add({"_scaled_dot_product_flash_attention_for_cpu"}, flashForCpu, flashForCpuLayout,
             InCore{decomposed::flashAttentionForCpu});
    rows.add({"_scaled_dot_product_flash_attention_for_cpu_backward"}, flashForCpuBackward);
    rows.add({"_scaled_dot_product_flash_attention", "_scaled_dot_product_flash_attention.quantized"}, flash);
    rows.add({"_scaled_dot_product_flash_attention_backward", "_scaled_dot_product_cudnn_attention_backward",
              "_flash_attention_backward"},
             likeQueryKeyValue);
    rows.add({"_scaled_dot_product_cudnn_attention"}, fusedAttention<true>);
    rows.add({"_scaled_dot_product_fused_attention_overrideable"}, fusedAttention<false>);
    rows.add({"_scaled_dot_product_efficient_attention"}, efficient);
    rows.add({"_scaled_dot_product_efficient_attention_backward"}, efficientBackward);
    rows.add({"_flash_attention_forward", "_flash_attention_forward.quantized"}, flashForward);
    rows.add({"_efficient_attention_forward"}, efficientForward);
    rows.add({"_efficient_attention_backward"}, efficientAttentionBackward);
}

std::span<const Replacement> attentionReplacements() {
    return attentionTable;
}

} // namespace aotscope::torch
