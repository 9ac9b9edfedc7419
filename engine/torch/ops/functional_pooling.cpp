#include "ops/functional.h"
#include "ops/python_operators.h"

#include "dispatch/failure.h"

#include <cmath>

/// Pooling, unpooling and folding. Follows torch 2.11, torch/nn/functional.py.
namespace aotscope::torch::ops {

namespace {

Value strideOrEmpty(const Bound& args) {
    return args["stride"].isNone() ? Value::list({}) : args["stride"];
}

/// Ends the names of functions that return indices in any case.
constexpr std::string_view withIndices = "_with_indices";

/// The name of a pooling function without the ending of the form that returns indices.
std::string_view poolingOf(const Bound& args) {
    const std::string_view name = args.ownName();
    return name.substr(0, name.find(withIndices));
}

bool returnsIndices(const Bound& args) {
    return args.ownName().ends_with(withIndices) || args.flag("return_indices");
}

/// max_pool1d, 2d, 3d and their variants that return indices.
Value maxPool(Calls& call, const Bound& args) {
    std::string op(poolingOf(args).substr(args.ownName().starts_with('_') ? 1 : 0));
    op += returnsIndices(args) ? withIndices : "";
    return call.torch(op, {args["input"], args["kernel_size"], strideOrEmpty(args), args["padding"],
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

Value adaptiveAverage(Calls& call, const Bound& args) {
    return call.torch(args.ownName(), {args["input"], sizeWithDefaults(args)});
}

Value adaptiveMax(Calls& call, const Bound& args) {
    const std::string_view op = poolingOf(args);
    const Value size = op == "adaptive_max_pool1d" ? args["output_size"] : sizeWithDefaults(args);
    const Value both = call.torch(op, {args["input"], size});
    return returnsIndices(args) ? both : both.items()[0];
}

Value fractionalMax(Calls& call, const Bound& args, std::size_t dims) {
    const at::Tensor& input = args.tensor("input");
    Value size = args["output_size"];
    if (size.isNone()) {
        size = scaledSizes(call, input, repeated(args["output_ratio"], dims), dims);
    }
    Value samples = args["_random_samples"];
    if (samples.isNone()) {
        const auto rank = static_cast<std::int64_t>(dims) + 1;
        const Value batch = input.dim() == rank ? Value(1) : Value(input.sym_size(0));
        samples = call.torch("rand", {batch, input.sym_size(-rank), static_cast<std::int64_t>(dims)},
                             {{"dtype", input.scalar_type()}, {"device", input.device()}});
    }
    const Value both = call.torch(poolingOf(args), {input, args["kernel_size"], size, samples});
    return returnsIndices(args) ? both : both.items()[0];
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
        const Value result =
            call.torch("max_unpool2d", {input.unsqueeze(-1), args.tensor("indices").unsqueeze(-1),
                                        Value::list(std::move(sizes))});
        return call.method("squeeze", {result, -1});
    }
    Values values{input, args["indices"], Value::list(std::move(sizes))};
    if (dims == 3) {
        values.push_back(stride);
        values.push_back(padding);
    }
    return call.torch(args.ownName(), std::move(values));
}

/// Power-average pooling with an infinite power: the largest magnitude, or the smallest.
Value extremePool(Calls& call, const Bound& args, std::size_t dims) {
    const bool isLargest = args["norm_type"].real() > 0;
    const auto signedAs = [&](const Value& value) {
        return isLargest ? value : callPythonOperator(call, "neg", {value});
    };
    const Value magnitude = signedAs(call.method("abs", {args["input"]}));
    return signedAs(
        call.torch("max_pool" + std::to_string(dims) + "d",
                   {magnitude, args["kernel_size"], strideOrEmpty(args), 0, 1, args["ceil_mode"]}));
}

/// Power-average pooling, computed by average pooling of powers.
Value lpPool(Calls& call, const Bound& args, std::string_view pool, std::size_t dims) {
    const Value& power = args["norm_type"];
    if (call.rules().infinitePowersPoolExtremes && power.isFloat() && std::isinf(power.real())) {
        return extremePool(call, args, dims);
    }
    const Value powers = call.method("pow", {args["input"], power});
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
    return call.method("pow", {product, callPythonOperator(call, "truediv", {1.0, power})});
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
    {"torch.nn.functional.max_pool1d max_pool2d max_pool3d _max_pool1d _max_pool2d _max_pool3d "
     "max_pool1d_with_indices max_pool2d_with_indices max_pool3d_with_indices",
     maxParameters, maxPool},
    {"torch.nn.functional.adaptive_avg_pool2d adaptive_avg_pool3d", "input, output_size", adaptiveAverage},
    {"torch.nn.functional.adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d "
     "adaptive_max_pool1d_with_indices adaptive_max_pool2d_with_indices adaptive_max_pool3d_with_indices",
     adaptiveParameters, adaptiveMax},
    {"torch.nn.functional.fractional_max_pool2d fractional_max_pool2d_with_indices", fractionalParameters,
     sharing<fractionalMax, 2>},
    {"torch.nn.functional.fractional_max_pool3d fractional_max_pool3d_with_indices", fractionalParameters,
     sharing<fractionalMax, 3>},
    {"torch.nn.functional.max_unpool1d", unpoolParameters, sharing<maxUnpool, 1>},
    {"torch.nn.functional.max_unpool2d", unpoolParameters, sharing<maxUnpool, 2>},
    {"torch.nn.functional.max_unpool3d", unpoolParameters, sharing<maxUnpool, 3>},
    {"torch.nn.functional.lp_pool1d", lpParameters, sharing<lpPool, "avg_pool1d", 1>},
    {"torch.nn.functional.lp_pool2d", lpParameters, sharing<lpPool, "avg_pool2d", 2>},
    {"torch.nn.functional.lp_pool3d", lpParameters, sharing<lpPool, "avg_pool3d", 3>},
    {"torch.nn.functional.unfold", "input, kernel_size, dilation=1, padding=0, stride=1", unfold},
    {"torch.nn.functional.fold", "input, output_size, kernel_size, dilation=1, padding=0, stride=1", fold},
};

} // namespace

Value scaledSizes(Calls& call, const at::Tensor& tensor, const Value& factors, std::size_t dims) {
    Values sizes;
    for (std::size_t i = 0; i < dims; ++i) {
        const Value length = tensor.sym_size(static_cast<std::int64_t>(i) - static_cast<std::int64_t>(dims));
        const Value scaled = callPythonOperator(call, "mul", {length, factors.items()[i]});
        sizes.push_back(callPythonOperator(call, "sym_int", {scaled}));
    }
    return Value::list(std::move(sizes));
}

Value repeated(const Value& value, std::size_t count) {
    return value.isSequence() ? value : Value::tuple(Values(count, value));
}

constinit const FunctionFamily poolingFunctions = functionalPoolingTable;

} // namespace aotscope::torch::ops
