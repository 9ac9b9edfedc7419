#include "ops/functional.h"
#include "ops/python_operators.h"

#include "dispatch/failure.h"

/// Pooling, unpooling and folding. Follows torch 2.11, torch/nn/functional.py.
namespace aotscope::torch::ops {

namespace {

Value strideOrEmpty(const Bound& args) {
    return args["stride"].isNone() ? Value::list({}) : args["stride"];
}

/// max_pool1d, 2d, 3d and their variants that return indices.
Value maxPool(Calls& call, const Bound& args, std::string_view op, bool withIndices) {
    const bool indices = withIndices || args.flag("return_indices");
    return call.torch(std::string(op) + (indices ? "_with_indices" : ""),
                      {args["input"], args["kernel_size"], strideOrEmpty(args), args["padding"],
                       args["dilation"], args["ceil_mode"]});
}

/// The output size, with the input's size for each None.
Value sizeWithDefaults(const Bound& args) {
    const Value& size = args["output_size"];
    if (!size.isSequence()) {
        return size;
    }
    const c10::SymIntArrayRef sizes = args.tensor("input").sym_sizes();
    const auto items = size.items();
    if (items.size() >= sizes.size()) {
        fail("ops.arguments", "An adaptive pooling's output has more sizes than its input.");
    }
    Values filled;
    for (std::size_t i = 0; i < items.size(); ++i) {
        filled.push_back(items[i].isNone() ? Value(sizes[sizes.size() - items.size() + i]) : items[i]);
    }
    return Value::list(std::move(filled));
}

Value adaptiveAverage(Calls& call, const Bound& args, std::string_view op) {
    return call.torch(op, {args["input"], sizeWithDefaults(args)});
}

Value adaptiveMax(Calls& call, const Bound& args, std::string_view op, bool withIndices) {
    const Value size = op == "adaptive_max_pool1d" ? args["output_size"] : sizeWithDefaults(args);
    const Value both = call.torch(op, {args["input"], size});
    return withIndices || args.flag("return_indices") ? both : both.items()[0];
}

Value fractionalMax(Calls& call, const Bound& args, std::size_t dims, bool withIndices) {
    const at::Tensor& input = args.tensor("input");
    Value size = args["output_size"];
    if (size.isNone()) {
        const Value ratio = repeated(args["output_ratio"], dims);
        Values sizes;
        for (std::size_t i = 0; i < dims; ++i) {
            const Value length =
                input.sym_size(static_cast<std::int64_t>(i) - static_cast<std::int64_t>(dims));
            sizes.push_back(callPythonOperator(
                call, "sym_int", {callPythonOperator(call, "mul", {length, ratio.items()[i]})}));
        }
        size = Value::list(std::move(sizes));
    }
    Value samples = args["_random_samples"];
    if (samples.isNone()) {
        const auto rank = static_cast<std::int64_t>(dims) + 1;
        const Value batch = input.dim() == rank ? Value(1) : Value(input.sym_size(0));
        samples = call.torch("rand", {batch, input.sym_size(-rank), static_cast<std::int64_t>(dims)},
                             {{"dtype", input.scalar_type()}, {"device", input.device()}});
    }
    const Value both = call.torch(dims == 2 ? "fractional_max_pool2d" : "fractional_max_pool3d",
                                  {input, args["kernel_size"], size, samples});
    return withIndices || args.flag("return_indices") ? both : both.items()[0];
}

Value maxUnpool(Calls& call, const Bound& args, std::size_t dims) {
    const at::Tensor& input = args.tensor("input");
    const Value kernel = repeated(args["kernel_size"], dims);
    const Value stride = args["stride"].isNone() ? kernel : repeated(args["stride"], dims);
    const Value padding = repeated(args["padding"], dims);
    Values sizes;
    if (args["output_size"].isNone()) {
        for (std::size_t i = 0; i < dims; ++i) {
            const c10::SymInt length =
                input.sym_size(static_cast<std::int64_t>(i) - static_cast<std::int64_t>(dims));
            sizes.emplace_back((length - 1) * stride.items()[i].symInt() + kernel.items()[i].symInt() -
                               padding.items()[i].symInt() * 2);
        }
    } else {
        const auto given = args["output_size"].items();
        sizes.assign(given.size() == dims + 2 ? given.begin() + 2 : given.begin(), given.end());
    }
    if (dims == 1) {
        sizes.emplace_back(1);
        const Value result = call.torch("max_unpool2d", {call.method("unsqueeze", {input, -1}),
                                                         call.method("unsqueeze", {args["indices"], -1}),
                                                         Value::list(std::move(sizes))});
        return call.method("squeeze", {result, -1});
    }
    Values values{input, args["indices"], Value::list(std::move(sizes))};
    if (dims == 3) {
        values.push_back(stride);
        values.push_back(padding);
    }
    return call.torch(dims == 2 ? "max_unpool2d" : "max_unpool3d", std::move(values));
}

/// Power-average pooling, computed by average pooling of powers.
Value lpPool(Calls& call, const Bound& args, std::string_view pool, std::size_t dims) {
    const Value powers = call.method("pow", {args["input"], args["norm_type"]});
    const Value out =
        args["stride"].isNone()
            ? call.torch(pool, {powers, args["kernel_size"]},
                         {{"padding", 0}, {"ceil_mode", args["ceil_mode"]}})
            : call.torch(pool, {powers, args["kernel_size"], args["stride"], 0, args["ceil_mode"]});
    Value scale = args["kernel_size"];
    if (dims > 1) {
        scale = 1;
        const Value kernel = repeated(args["kernel_size"], dims);
        for (const Value& length : kernel.items()) {
            scale = callPythonOperator(call, "mul", {scale, length});
        }
    }
    const Value sign = call.torch("sign", {out});
    const Value magnitude = call.torch("relu", {call.torch("abs", {out})});
    const Value product = call.method("mul", {call.method("mul", {sign, magnitude}), scale});
    return call.method("pow", {product, callPythonOperator(call, "truediv", {1.0, args["norm_type"]})});
}

Value unfold(Calls& call, const Bound& args) {
    return call.torch("im2col",
                      {args["input"], repeated(args["kernel_size"], 2), repeated(args["dilation"], 2),
                       repeated(args["padding"], 2), repeated(args["stride"], 2)});
}

Value fold(Calls& call, const Bound& args) {
    return call.torch("col2im", {args["input"], repeated(args["output_size"], 2),
                                 repeated(args["kernel_size"], 2), repeated(args["dilation"], 2),
                                 repeated(args["padding"], 2), repeated(args["stride"], 2)});
}

constexpr std::string_view maxParameters =
    "input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False";
constexpr std::string_view adaptiveParameters = "input, output_size, return_indices=False";
constexpr std::string_view fractionalParameters =
    "input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None";
constexpr std::string_view unpoolParameters =
    "input, indices, kernel_size, stride=None, padding=0, output_size=None";
constexpr std::string_view lpParameters = "input, norm_type, kernel_size, stride=None, ceil_mode=False";

const PythonFunction functionalPoolingTable[] = {
    {"torch.nn.functional.max_pool1d", maxParameters, sharing<maxPool, "max_pool1d", false>},
    {"torch.nn.functional.max_pool2d", maxParameters, sharing<maxPool, "max_pool2d", false>},
    {"torch.nn.functional.max_pool3d", maxParameters, sharing<maxPool, "max_pool3d", false>},
    {"torch.nn.functional._max_pool1d", maxParameters, sharing<maxPool, "max_pool1d", false>},
    {"torch.nn.functional._max_pool2d", maxParameters, sharing<maxPool, "max_pool2d", false>},
    {"torch.nn.functional._max_pool3d", maxParameters, sharing<maxPool, "max_pool3d", false>},
    {"torch.nn.functional.adaptive_avg_pool2d", "input, output_size",
     sharing<adaptiveAverage, "adaptive_avg_pool2d">},
    {"torch.nn.functional.adaptive_avg_pool3d", "input, output_size",
     sharing<adaptiveAverage, "adaptive_avg_pool3d">},
    {"torch.nn.functional.adaptive_max_pool1d", adaptiveParameters,
     sharing<adaptiveMax, "adaptive_max_pool1d", false>},
    {"torch.nn.functional.adaptive_max_pool2d", adaptiveParameters,
     sharing<adaptiveMax, "adaptive_max_pool2d", false>},
    {"torch.nn.functional.adaptive_max_pool3d", adaptiveParameters,
     sharing<adaptiveMax, "adaptive_max_pool3d", false>},
    {"torch.nn.functional.fractional_max_pool2d", fractionalParameters, sharing<fractionalMax, 2, false>},
    {"torch.nn.functional.fractional_max_pool3d", fractionalParameters, sharing<fractionalMax, 3, false>},
    {"torch.nn.functional.max_unpool1d", unpoolParameters, sharing<maxUnpool, 1>},
    {"torch.nn.functional.max_unpool2d", unpoolParameters, sharing<maxUnpool, 2>},
    {"torch.nn.functional.max_unpool3d", unpoolParameters, sharing<maxUnpool, 3>},
    {"torch.nn.functional.max_pool1d_with_indices", maxParameters, sharing<maxPool, "max_pool1d", true>},
    {"torch.nn.functional.adaptive_max_pool1d_with_indices", adaptiveParameters,
     sharing<adaptiveMax, "adaptive_max_pool1d", true>},
    {"torch.nn.functional.max_pool2d_with_indices", maxParameters, sharing<maxPool, "max_pool2d", true>},
    {"torch.nn.functional.adaptive_max_pool2d_with_indices", adaptiveParameters,
     sharing<adaptiveMax, "adaptive_max_pool2d", true>},
    {"torch.nn.functional.max_pool3d_with_indices", maxParameters, sharing<maxPool, "max_pool3d", true>},
    {"torch.nn.functional.adaptive_max_pool3d_with_indices", adaptiveParameters,
     sharing<adaptiveMax, "adaptive_max_pool3d", true>},
    {"torch.nn.functional.fractional_max_pool2d_with_indices", fractionalParameters,
     sharing<fractionalMax, 2, true>},
    {"torch.nn.functional.fractional_max_pool3d_with_indices", fractionalParameters,
     sharing<fractionalMax, 3, true>},
    {"torch.nn.functional.lp_pool1d", lpParameters, sharing<lpPool, "avg_pool1d", 1>},
    {"torch.nn.functional.lp_pool2d", lpParameters, sharing<lpPool, "avg_pool2d", 2>},
    {"torch.nn.functional.lp_pool3d", lpParameters, sharing<lpPool, "avg_pool3d", 3>},
    {"torch.nn.functional.unfold", "input, kernel_size, dilation=1, padding=0, stride=1", unfold},
    {"torch.nn.functional.fold", "input, output_size, kernel_size, dilation=1, padding=0, stride=1", fold},
};

} // namespace

Value repeated(const Value& value, std::size_t count) {
    return value.isSequence() ? value : Value::tuple(Values(count, value));
}

FunctionFamily poolingFunctions() {
    return functionalPoolingTable;
}

} // namespace aotscope::torch::ops
