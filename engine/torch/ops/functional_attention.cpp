#include "ops/functional.h"
#include "ops/python_operators.h"

#include "dispatch/failure.h"

#include <ATen/ops/cat.h>

#include <array>
#include <cmath>
#include <limits>

/// Follows torch 2.11, torch/nn/functional.py: multi_head_attention_forward.
namespace aotscope::torch::ops {

namespace {

using Triple = std::array<Value, 3>;

/// A mask in the query's dtype; a bool mask becomes -inf where it is true.
Value additiveMask(Calls& call, const Value& mask, c10::ScalarType dtype) {
    if (mask.isNone() || mask.tensor().is_floating_point()) {
        return mask;
    }
    if (mask.tensor().scalar_type() != c10::kBool) {
        fail("ops.arguments", "An attention mask is neither bool nor floating.");
    }
    const Value zeros = call.torch("zeros_like", {mask}, {{"dtype", dtype}});
    return call.method("masked_fill_", {zeros, mask, -std::numeric_limits<double>::infinity()});
}

Value linear(Calls& call, const Value& input, const Value& weight, const Value& bias) {
    return call.torch("linear", {input, weight, bias});
}

/// Splits a packed projection into its `count` equal parts, each contiguous.
Values splitProjection(Calls& call, Value projected, std::int64_t count, const Value& width) {
    projected = call.method("unflatten", {projected, -1, Value::tuple({count, width})});
    projected = projected.tensor().unsqueeze(0);
    projected = call.method("transpose", {projected, 0, -2});
    projected = call.method("squeeze", {projected, -2});
    projected = call.method("contiguous", {projected});
    Values parts;
    for (std::int64_t i = 0; i < count; ++i) {
        parts.push_back(getItem(call, projected, i));
    }
    return parts;
}

Values chunkOrNone(Calls& call, const Value& bias) {
    if (bias.isNone()) {
        return Values(3);
    }
    const Value chunks = call.method("chunk", {bias, 3});
    return {chunks.items().begin(), chunks.items().end()};
}

Triple packedProjection(Calls& call, const Triple& inputs, const Value& weight, const Value& bias) {
    const auto& [query, key, value] = inputs;
    const Value width = query.tensor().sym_size(-1);
    const bool sameKeyValue = key.tensor().is_same(value.tensor());
    if (sameKeyValue && query.tensor().is_same(key.tensor())) {
        const Values parts = splitProjection(call, linear(call, query, weight, bias), 3, width);
        return {parts[0], parts[1], parts[2]};
    }
    if (sameKeyValue) {
        const Value sizes = Value::list({width, callPythonOperator(call, "mul", {width, 2})});
        const Value weights = call.method("split", {weight, sizes});
        const Value biases = bias.isNone() ? Value::tuple(Values(2)) : call.method("split", {bias, sizes});
        const Value first = linear(call, query, weights.items()[0], biases.items()[0]);
        const Values rest =
            splitProjection(call, linear(call, key, weights.items()[1], biases.items()[1]), 2, width);
        return {first, rest[0], rest[1]};
    }
    const Value weights = call.method("chunk", {weight, 3});
    const Values biases = chunkOrNone(call, bias);
    Triple result;
    for (std::size_t i = 0; i < 3; ++i) {
        result[i] = linear(call, inputs[i], weights.items()[i], biases[i]);
    }
    return result;
}

Triple projection(Calls& call, const Bound& args, const Triple& inputs) {
    if (!args.flag("use_separate_proj_weight")) {
        return packedProjection(call, inputs, args["in_proj_weight"], args["in_proj_bias"]);
    }
    const Values biases = chunkOrNone(call, args["in_proj_bias"]);
    return {linear(call, inputs[0], args["q_proj_weight"], biases[0]),
            linear(call, inputs[1], args["k_proj_weight"], biases[1]),
            linear(call, inputs[2], args["v_proj_weight"], biases[2])};
}

/// The state of one call; the methods follow the sections of the Python function.
struct Attention {
    Attention(Calls& calls, const Bound& bound) : call(calls), args(bound) {}
    Value run();

    void readInputs();
    void readMasks();
    void addBiases();
    void splitHeads();
    void addZeros();
    void mergeMasks();
    Value withWeights();
    Value withoutWeights();
    Value flattened(const Value& output, const c10::SymInt& rows);
    Value project(Value output);
    void padMasks() {
        for (Value* each : {&mask, &paddingMask}) {
            *each = each->isNone() ? *each
                                   : call.torch("pad", {*each, Value::tuple({0, 1}), "constant", Value()});
        }
    }

    Calls& call;
    const Bound& args;
    Triple inputs;
    Value q;
    Value k;
    Value v;
    Value paddingMask;
    Value mask;
    bool batched = true;
    bool causal = false;
    double dropout = 0;
    c10::SymInt targetLength;
    c10::SymInt sourceLength;
    c10::SymInt batch;
    c10::SymInt embedding;
    c10::SymInt heads;
    c10::SymInt headSize;
};

void Attention::readInputs() {
    inputs = {args["query"], args["key"], args["value"]};
    paddingMask = args["key_padding_mask"];
    batched = args.tensor("query").dim() == 3;
    if (!batched) {
        for (Value& input : inputs) {
            input = input.tensor().unsqueeze(1);
        }
        if (!paddingMask.isNone()) {
            paddingMask = paddingMask.tensor().unsqueeze(0);
        }
    }
    const at::Tensor query = inputs[0].tensor();
    targetLength = query.sym_size(0);
    batch = query.sym_size(1);
    embedding = query.sym_size(2);
    sourceLength = inputs[1].tensor().sym_size(0);
    heads = args["num_heads"].symInt();
    headSize = callPythonOperator(call, "floordiv", {embedding, heads}).symInt();
}

void Attention::readMasks() {
    const c10::ScalarType dtype = inputs[0].tensor().scalar_type();
    paddingMask = additiveMask(call, paddingMask, dtype);
    causal = args.flag("is_causal");
    mask = args["attn_mask"];
    if (causal && mask.isNone()) {
        fail("ops.arguments", "multi_head_attention_forward needs attn_mask with is_causal.");
    }
    if (causal && paddingMask.isNone() && !args.flag("need_weights")) {
        mask = {};
    } else {
        mask = additiveMask(call, mask, dtype);
        causal = causal && paddingMask.isNone();
    }
}

void Attention::addBiases() {
    if (!mask.isNone() && mask.tensor().dim() == 2) {
        mask = mask.tensor().unsqueeze(0);
    }
    if (args["bias_k"].isNone() || args["bias_v"].isNone()) {
        return;
    }
    k = at::cat({k.tensor(), args.tensor("bias_k").repeat_symint({1, batch, 1})});
    v = at::cat({v.tensor(), args.tensor("bias_v").repeat_symint({1, batch, 1})});
    padMasks();
}

void Attention::splitHeads() {
    const auto split = [&](const Value& projected, const c10::SymInt& length) {
        const Value viewed = call.method("view", {projected, length, batch * heads, headSize});
        return call.method("transpose", {viewed, 0, 1});
    };
    q = split(q, targetLength);
    k = args["static_k"].isNone() ? split(k, k.tensor().sym_size(0)) : args["static_k"];
    v = args["static_v"].isNone() ? split(v, v.tensor().sym_size(0)) : args["static_v"];
}

void Attention::addZeros() {
    if (!args.flag("add_zero_attn")) {
        return;
    }
    for (Value* part : {&k, &v}) {
        const at::Tensor tensor = part->tensor();
        const Value zeros = call.torch("zeros", {Value::tuple({batch * heads, 1, headSize})},
                                       {{"dtype", tensor.scalar_type()}, {"device", tensor.device()}});
        *part = at::cat({tensor, zeros.tensor()}, 1);
    }
    padMasks();
}

void Attention::mergeMasks() {
    sourceLength = k.tensor().sym_size(1);
    if (paddingMask.isNone()) {
        return;
    }
    Value spread = call.method("view", {paddingMask, batch, 1, 1, sourceLength});
    spread = call.method("expand", {spread, -1, heads, -1, -1});
    spread = call.method("reshape", {spread, batch * heads, 1, sourceLength});
    mask = mask.isNone() ? spread : callPythonOperator(call, "add", {mask, spread});
}

Value Attention::project(Value output) {
    output = linear(call, output, args["out_proj_weight"], args["out_proj_bias"]);
    return call.method("view", {output, targetLength, batch, output.tensor().sym_size(1)});
}

/// The heads' results side by side, `rows` by embedding.
Value Attention::flattened(const Value& output, const c10::SymInt& rows) {
    return call.rules().attentionReshapesItsOutput
               ? call.method("reshape", {output, rows, embedding})
               : call.method("view", {call.method("contiguous", {output}), rows, embedding});
}

Value Attention::withWeights() {
    const double width = static_cast<double>(Value(q.tensor().sym_size(2)).integer());
    const Value scaled = callPythonOperator(call, "mul", {q, std::sqrt(1.0 / width)});
    const at::Tensor transposed = k.tensor().transpose(-2, -1);
    Value weights =
        mask.isNone() ? scaled.tensor().bmm(transposed) : mask.tensor().baddbmm(scaled.tensor(), transposed);
    weights = call.method("softmax", {weights, -1});
    if (dropout > 0) {
        weights = call.torch("dropout", {weights, dropout, true});
    }
    Value output = weights.tensor().bmm(v.tensor());
    output = project(flattened(call.method("transpose", {output, 0, 1}), targetLength * batch));
    weights = call.method("view", {weights, batch, heads, targetLength, sourceLength});
    if (args.flag("average_attn_weights")) {
        weights = call.method("mean", {weights}, {{"dim", 1}});
    }
    if (!batched) {
        output = call.method("squeeze", {output, 1});
        weights = call.method("squeeze", {weights, 0});
    }
    return Value::tuple({output, weights});
}

Value Attention::withoutWeights() {
    if (!mask.isNone()) {
        const at::Tensor given = mask.tensor();
        mask = given.dim() == 3 && given.sym_size(0) == 1
                   ? given.unsqueeze(0)
                   : call.method("view", {mask, batch, heads, -1, sourceLength});
    }
    q = call.method("view", {q, batch, heads, targetLength, headSize});
    k = call.method("view", {k, batch, heads, sourceLength, headSize});
    v = call.method("view", {v, batch, heads, sourceLength, headSize});
    Value output = call.torch("scaled_dot_product_attention", {q, k, v, mask, dropout, causal});
    output = project(flattened(output.tensor().permute({2, 0, 1, 3}), batch * targetLength));
    if (!batched) {
        output = call.method("squeeze", {output, 1});
    }
    return Value::tuple({output, Value()});
}

Value Attention::run() {
    readInputs();
    readMasks();
    Triple projected = projection(call, args, inputs);
    q = projected[0];
    k = projected[1];
    v = projected[2];
    addBiases();
    splitHeads();
    addZeros();
    mergeMasks();
    dropout = args.flag("training") ? args["dropout_p"].real() : 0.0;
    return args.flag("need_weights") ? withWeights() : withoutWeights();
}

const PythonFunction functionalAttentionTable[] = {
    {"torch.nn.functional.multi_head_attention_forward",
     "query, key, value, embed_dim_to_check, num_heads, in_proj_weight, in_proj_bias, bias_k, bias_v, "
     "add_zero_attn, dropout_p, out_proj_weight, out_proj_bias, training=True, key_padding_mask=None, "
     "need_weights=True, attn_mask=None, use_separate_proj_weight=False, q_proj_weight=None, "
     "k_proj_weight=None, v_proj_weight=None, static_k=None, static_v=None, average_attn_weights=True, "
     "is_causal=False",
     [](Calls& c, const Bound& a) { return Attention(c, a).run(); }},
};

} // namespace

constinit const FunctionFamily attentionFunctions = functionalAttentionTable;

} // namespace aotscope::torch::ops
