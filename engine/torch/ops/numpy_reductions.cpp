#include "ops/numpy_arrays.h"

#include "dispatch/failure.h"

/// NumPy's reductions. Follows torch 2.11, torch/_numpy/_reductions_impl.py. Each resolves the axes and the
/// dtype, calls PyTorch's function, then applies `keepdims` and `out`.
namespace aotscope::torch::ops {

namespace numpy::reductions {
namespace {

/// An array and the axes to reduce.
struct Reduced {
    at::Tensor array;
    /// Nullopt: all axes.
    std::optional<std::vector<std::int64_t>> axes;

    [[nodiscard]] Value axis() const { return axes ? Value::ints(*axes) : Value(); }
    /// For methods that reduce all axes where they get none.
    [[nodiscard]] Values operands() const { return {array, axes ? axis() : Value::tuple({})}; }
    [[nodiscard]] Keywords dim(Keywords others = {}) const {
        if (axes) {
            others.emplace_back("dim", axis());
        }
        return others;
    }
    /// For PyTorch's functions that take one axis.
    [[nodiscard]] Value oneAxis() const {
        if (axes && axes->size() != 1) {
            fail("ops.arguments", "NumPy's function takes one axis here, not several.");
        }
        return axes ? Value(axes->front()) : Value();
    }
    [[nodiscard]] Keywords oneDim(Keywords others = {}) const {
        if (axes) {
            others.emplace_back("dim", oneAxis());
        }
        return others;
    }
};

Reduced reducedOf(Calls& call, const Bound& args) {
    Reduced reduced{asArray(call, args["a"]), {}};
    if (!args["axis"].isNone()) {
        reduced.axes = numpy::axesOf(args["axis"], reduced.array.dim());
        if (reduced.axes->empty()) {
            reduced.array = reduced.array.unsqueeze(0);
            reduced.axes = {0};
        }
    }
    return reduced;
}

/// _util.apply_keepdims
Value keptDims(Calls& call, const Value& result, const at::Tensor& array, const Value& axis) {
    if (axis.isNone()) {
        const std::vector<std::int64_t> ones(static_cast<std::size_t>(array.dim()), 1);
        return call.method("contiguous", {call.method("expand", {result, Value::ints(ones)})});
    }
    return call.method("reshape", {result, numpy::sizesWithOnes(result.tensor(), axis)});
}

Value finished(Calls& call, const Bound& args, Value result) {
    if (args.flag("keepdims")) {
        result = keptDims(call, result, asArray(call, args["a"]), args["axis"]);
    }
    return numpy::intoOut(call, args["out"], result);
}

c10::ScalarType atLeastFloat(const Bound& args, const at::Tensor& array) {
    const c10::ScalarType type = numpy::dtypeOf(args["dtype"]).value_or(array.scalar_type());
    return c10::isIntegralType(type, true) ? c10::kDouble : type;
}

/// The requested dtype; int64 in place of bool.
Value sumType(const Bound& args) {
    const auto type = numpy::dtypeOf(args["dtype"]);
    return type ? Value(*type == c10::kBool ? c10::kLong : *type) : Value();
}

Value sum(Calls& call, const Bound& args) {
    const Reduced r = reducedOf(call, args);
    return finished(call, args, call.method("sum", {r.array}, r.dim({{"dtype", sumType(args)}})));
}

Value prod(Calls& call, const Bound& args) {
    const Reduced r = reducedOf(call, args);
    return finished(call, args, call.method("prod", {r.array}, r.oneDim({{"dtype", sumType(args)}})));
}

Value mean(Calls& call, const Bound& args) {
    const Reduced r = reducedOf(call, args);
    return finished(call, args,
                    call.method("mean", {r.array}, r.dim({{"dtype", atLeastFloat(args, r.array)}})));
}

Value deviation(Calls& call, const Bound& args) {
    const Reduced r = reducedOf(call, args);
    const at::Tensor array = numpy::cast(call, r.array, atLeastFloat(args, r.array));
    const Value result =
        call.method(args.ownName(), {array}, {{"dim", r.axis()}, {"correction", args["ddof"]}});
    return finished(call, args, numpy::cast(call, result.tensor(), numpy::dtypeOf(args["dtype"])));
}

Value extreme(Calls& call, const Bound& args, std::string_view op) {
    return finished(call, args, call.method(op, reducedOf(call, args).operands()));
}

Value placeOfExtreme(Calls& call, const Bound& args) {
    const Reduced r = reducedOf(call, args);
    const bool isBool = r.array.scalar_type() == c10::kBool;
    const at::Tensor array = isBool ? numpy::cast(call, r.array, c10::kByte) : r.array;
    return finished(call, args, call.torch(args.ownName(), {array, r.oneAxis()}));
}

Value truth(Calls& call, const Bound& args) {
    const Reduced r = reducedOf(call, args);
    return finished(call, args, call.torch(args.ownName(), {r.array}, r.oneDim()));
}

Value countNonzero(Calls& call, const Bound& args) {
    const Reduced r = reducedOf(call, args);
    const Value result = call.method("count_nonzero", {r.array, r.axis()});
    return args.flag("keepdims") ? keptDims(call, result, r.array, args["axis"]) : result;
}

Value range(Calls& call, const Bound& args) {
    const Values operands = reducedOf(call, args).operands();
    const Value most = call.method("amax", operands);
    return finished(call, args, call.method("sub", {most, call.method("amin", operands)}));
}

Value scan(Calls& call, const Bound& args, std::string_view op) {
    const at::Tensor array = asArray(call, args["a"]);
    const Value asked = sumType(args);
    const auto [along, axis] = numpy::alongAxis(call, array, args["axis"]);
    const Value result =
        call.method(op, {along, axis}, {{"dtype", asked.isNone() ? Value(array.scalar_type()) : asked}});
    return numpy::intoOut(call, args["out"], result);
}

Value quantileOf(Calls& call, const Bound& args, at::Tensor q) {
    at::Tensor array = asArray(call, args["a"]);
    array = c10::isFloatingType(array.scalar_type()) ? array : numpy::cast(call, array, c10::kDouble);
    array = array.scalar_type() == c10::kHalf ? numpy::cast(call, array, c10::kFloat) : array;
    const auto [along, axis] = numpy::alongAxis(call, array, args["axis"]);
    if (args["axis"].isNone()) {
        q = call.method("flatten", {q}).tensor();
    }
    q = numpy::cast(call, q, along.scalar_type());
    return finished(call, args,
                    call.torch("quantile", {along, q, axis}, {{"interpolation", args["method"]}}));
}

Value percentile(Calls& call, const Bound& args) {
    at::Tensor q = asArray(call, args["q"]);
    q = c10::isIntegralType(q.scalar_type(), false) ? numpy::cast(call, q, c10::kDouble) : q;
    return quantileOf(call, args, call.method("div", {q, 100.0}).tensor());
}

Value median(Calls& call, const Bound& args) {
    return quantileOf(call, args, call.function("torch.as_tensor", {0.5}).tensor());
}

const PythonFunction table[] = {
    {"numpy.sum", "a, axis=None, dtype=None, out=None, keepdims=False", sum},
    {"numpy.prod product", "a, axis=None, dtype=None, out=None, keepdims=False", prod},
    {"numpy.mean", "a, axis=None, dtype=None, out=None, keepdims=False", mean},
    {"numpy.std var", "a, axis=None, dtype=None, out=None, ddof=0, keepdims=False", deviation},
    {"numpy.amax max", "a, axis=None, out=None, keepdims=False", sharing<extreme, "amax">},
    {"numpy.amin min", "a, axis=None, out=None, keepdims=False", sharing<extreme, "amin">},
    {"numpy.ptp", "a, axis=None, out=None, keepdims=False", range},
    {"numpy.argmax argmin", "a, axis=None, out=None, *, keepdims=False", placeOfExtreme},
    {"numpy.any all", "a, axis=None, out=None, keepdims=False", truth},
    {"numpy.count_nonzero", "a, axis=None, *, keepdims=False", countNonzero},
    {"numpy.cumsum", "a, axis=None, dtype=None, out=None", byOwnName<scan>},
    {"numpy.cumprod cumproduct", "a, axis=None, dtype=None, out=None", sharing<scan, "cumprod">},
    {"numpy.quantile", "a, q, axis=None, out=None, overwrite_input=False, method=\"linear\", keepdims=False",
     [](Calls& c, const Bound& a) { return quantileOf(c, a, asArray(c, a["q"])); }},
    {"numpy.percentile",
     "a, q, axis=None, out=None, overwrite_input=False, method=\"linear\", keepdims=False", percentile},
    {"numpy.median", "a, axis=None, out=None, overwrite_input=False, keepdims=False, *, method=\"linear\"",
     median},
};

} // namespace
} // namespace numpy::reductions

constinit const FunctionFamily numpyReductions = numpy::reductions::table;

} // namespace aotscope::torch::ops
