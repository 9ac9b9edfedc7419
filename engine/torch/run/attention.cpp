#include "run/replacements.h"

#include "dispatch/failure.h"
#include "run/value_access.h"

#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu_backward.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

namespace aotscope::torch {

namespace {

using c10::IValue;
using Args = std::vector<IValue>;

void say(const IValue& dropout, RunContext& context) {
    context.note("Attention written for a GPU ran with the CPU's kernel.");
    if (dropout.isDouble() && dropout.toDouble() > 0) {
        context.note("The dropout inside attention is left out: the CPU's kernel has none.");
    }
}

bool flag(const IValue& value) {
    return value.isBool() && value.toBool();
}

std::optional<double> scaleOf(const IValue& scale) {
    return scale.isNone() ? std::nullopt : std::optional(scale.toScalar().toDouble());
}

/// Output and log-sum-exp of shape [batch, heads, queries].
std::tuple<at::Tensor, at::Tensor> forward(const Args& qkv, const std::optional<at::Tensor>& bias,
                                           bool causal, const IValue& scale) {
    return at::_scaled_dot_product_flash_attention_for_cpu(tensorArgument(qkv[0]), tensorArgument(qkv[1]),
                                                           tensorArgument(qkv[2]), 0.0, causal, bias,
                                                           scaleOf(scale));
}

IValue attentionSeed() {
    return at::zeros({}, at::TensorOptions(c10::kLong));
}

std::int64_t rows(const IValue& tensor) {
    const at::Tensor value = tensorArgument(tensor);
    if (value.dim() != 4) {
        fail("run.arguments", "Attention needs tensors of four dimensions.");
    }
    return value.size(2);
}

IValue flash(const Args& args, RunContext& context) {
    say(args[3], context);
    const auto [output, logSumExp] = forward(args, {}, flag(args[4]), args[6]);
    return c10::ivalue::Tuple::create({output, logSumExp, IValue(), IValue(), rows(args[0]), rows(args[1]),
                                       at::zeros({2}, at::TensorOptions(c10::kUInt64)),
                                       at::zeros({}, at::TensorOptions(c10::kUInt64)),
                                       at::empty({0}, output.options())});
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> gradients(const Args& gradQkv, const IValue& output,
                                                         const IValue& logSumExp,
                                                         const std::optional<at::Tensor>& bias, bool causal,
                                                         const IValue& scale) {
    // GPU kernels pad the query dimension of the log-sum-exp.
    const at::Tensor saved = tensorArgument(logSumExp);
    const std::int64_t queries = rows(gradQkv[1]);
    if (saved.dim() < 3 || saved.size(2) < queries) {
        fail("run.arguments", "The saved log-sum-exp of attention does not have the shape of its queries.");
    }
    return at::_scaled_dot_product_flash_attention_for_cpu_backward(
        tensorArgument(gradQkv[0]), tensorArgument(gradQkv[1]), tensorArgument(gradQkv[2]),
        tensorArgument(gradQkv[3]), tensorArgument(output), saved.narrow(2, 0, queries), 0.0, causal, bias,
        scaleOf(scale));
}

IValue flashBackward(const Args& args, RunContext& context) {
    say(args[10], context);
    return gradients(args, args[4], args[5], {}, flag(args[11]), args[14]);
}

/// The mask for the CPU's kernel; nothing for an empty or undefined one.
std::optional<at::Tensor> biasOf(const IValue& bias) {
    const at::Tensor* tensor = tensorIn(bias);
    return tensor != nullptr && tensor->numel() != 0 ? std::optional(*tensor) : std::nullopt;
}

IValue efficient(const Args& args, RunContext& context) {
    say(args[5], context);
    auto [output, logSumExp] = forward(args, biasOf(args[3]), flag(args[6]), args[7]);
    const std::int64_t queries = flag(args[4]) ? rows(args[0]) : 0;
    std::vector<std::int64_t> shape{output.size(0), output.size(1), (queries + 31) / 32 * 32};
    at::Tensor padded = at::zeros(shape, logSumExp.options().dtype(c10::kFloat));
    if (queries != 0) {
        padded.narrow(2, 0, queries).copy_(logSumExp);
    }
    return c10::ivalue::Tuple::create({output, padded, attentionSeed(), attentionSeed()});
}

IValue efficientBackward(const Args& args, RunContext& context) {
    say(args[9], context);
    const std::optional<at::Tensor> bias = biasOf(args[4]);
    const auto [query, key, value] = gradients(args, args[5], args[6], bias, flag(args[11]), args[12]);
    if (bias) {
        context.note("The gradient of an attention bias is left at zero: the CPU's kernel computes none.");
    }
    return c10::ivalue::Tuple::create({query, key, value, bias ? IValue(at::zeros_like(*bias)) : IValue()});
}

IValue cudnn(const Args& args, RunContext& context) {
    say(args[5], context);
    const auto [output, logSumExp] = forward(args, biasOf(args[3]), flag(args[6]), args[8]);
    return c10::ivalue::Tuple::create({output, logSumExp.unsqueeze(-1), IValue(), IValue(), rows(args[0]),
                                       rows(args[1]), attentionSeed(), attentionSeed(), IValue()});
}

IValue cudnnBackward(const Args& args, RunContext& context) {
    say(args[13], context);
    return gradients(args, args[4], args[5], biasOf(args[8]), flag(args[14]), args[15]);
}

constexpr Replacement attentionTable[] = {
    {"aten._scaled_dot_product_flash_attention.default",
     "query key value dropout_p is_causal return_debug_mask scale", flash},
    {"aten._scaled_dot_product_flash_attention_backward.default",
     "grad_out query key value out logsumexp cum_seq_q cum_seq_k max_q max_k dropout_p is_causal philox_seed "
     "philox_offset scale",
     flashBackward},
    {"aten._scaled_dot_product_efficient_attention.default",
     "query key value attn_bias compute_log_sumexp dropout_p is_causal scale", efficient},
    {"aten._scaled_dot_product_efficient_attention_backward.default",
     "grad_out_ query key value attn_bias out logsumexp philox_seed philox_offset dropout_p grad_input_mask "
     "is_causal scale",
     efficientBackward},
    {"aten._scaled_dot_product_cudnn_attention.default",
     "query key value attn_bias compute_log_sumexp dropout_p is_causal return_debug_mask scale", cudnn},
    {"aten._scaled_dot_product_cudnn_attention_backward.default",
     "grad_out query key value out logsumexp philox_seed philox_offset attn_bias cum_seq_q cum_seq_k max_q "
     "max_k "
     "dropout_p is_causal scale",
     cudnnBackward},
};

} // namespace

std::span<const Replacement> attentionReplacements() {
    return attentionTable;
}

} // namespace aotscope::torch
