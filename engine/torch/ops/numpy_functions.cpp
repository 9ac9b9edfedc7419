#include "ops/numpy_arrays.h"
#include "ops/python_operators.h"

#include "dispatch/failure.h"

#include <string>
#include <utility>

/// NumPy's functions that create arrays, select and sort elements and compute with matrices, and its dtypes
/// called as functions. Follows torch 2.11, torch/_numpy/_funcs_impl.py, _ndarray.py and _dtypes.py.
namespace aotscope::torch::ops {

namespace numpy::functions {
namespace {

Value array(Calls& call, const Bound& args) {
    const auto dtype = numpy::dtypeOf(args["dtype"]);
    at::Tensor result = numpy::cast(call, asArray(call, args["obj"]), dtype);
    const std::int64_t missing = args["ndmin"].integer() - result.dim();
    if (missing > 0) {
        std::vector<c10::SymInt> sizes = result.sym_sizes().vec();
        sizes.insert(sizes.begin(), static_cast<std::size_t>(missing), 1);
        result = call.method("view", {result, Value::size(sizes)}).tensor();
    }
    return args.flag("copy") ? result.clone() : result;
}

Value asContiguous(Calls& call, const Bound& args) {
    const at::Tensor result = numpy::cast(call, asArray(call, args["a"]), numpy::dtypeOf(args["dtype"]));
    return result.is_contiguous() ? Value(result) : call.method("contiguous", {result});
}

Value asType(Calls& call, const Bound& args) {
    const auto dtype = numpy::dtypeOf(args["dtype"]).value_or(c10::kDouble);
    return call.method("to", {asArray(call, args["self"]), dtype});
}

/// np.float32(x) and the like.
Value scalarOfType(Calls& call, const Bound& args) {
    return numpy::cast(call, asArray(call, args["value"]), numpy::dtypeOf(std::string(args.ownName())));
}

c10::ScalarType dtypeOr(const Bound& args, c10::ScalarType otherwise) {
    return numpy::dtypeOf(args["dtype"]).value_or(otherwise);
}

Value filled(Calls& call, const Bound& args) {
    return call.torch(args.ownName(), {args["shape"]}, {{"dtype", dtypeOr(args, c10::kDouble)}});
}

Value filledLike(Calls& call, const Bound& args) {
    const auto dtype = numpy::dtypeOf(args["dtype"]);
    const Value result =
        call.torch(args.ownName(), {asArray(call, args["a"])}, {{"dtype", dtype ? Value(*dtype) : Value()}});
    return args["shape"].isNone() ? result : call.method("reshape", {result, args["shape"]});
}

Value full(Calls& call, const Bound& args) {
    const at::Tensor value = asArray(call, args["fill_value"]);
    return call.torch("full", {repeated(args["shape"], 1), value},
                      {{"dtype", dtypeOr(args, value.scalar_type())}});
}

Value arange(Calls& call, const Bound& args) {
    Value start = args["start"];
    Value stop = args["stop"];
    if (stop.isNone()) {
        stop = std::exchange(start, Value(0));
    }
    start = start.isNone() ? Value(0) : start;
    const auto isFloat = [](const Value& value) {
        return value.isTensor() ? c10::isFloatingType(value.tensor().scalar_type()) : value.isFloat();
    };
    const Value& step = args["step"];
    const bool inFloat = isFloat(start) || isFloat(stop) || isFloat(step);
    return call.torch("arange", {start, stop, step},
                      {{"dtype", dtypeOr(args, inFloat ? c10::kDouble : c10::kLong)}});
}

Value linspace(Calls& call, const Bound& args) {
    return call.torch("linspace", {asArray(call, args["start"]), asArray(call, args["stop"]), args["num"]},
                      {{"dtype", dtypeOr(args, c10::kDouble)}});
}

Value eye(Calls& call, const Bound& args) {
    const Value columns = args["M"].isNone() ? args["N"] : args["M"];
    Value zeros = call.torch("zeros", {args["N"], columns}, {{"dtype", dtypeOr(args, c10::kDouble)}});
    call.method("fill_", {call.method("diagonal", {zeros, args["k"]}), 1});
    return zeros;
}

Value where(Calls& call, const Bound& args) {
    const at::Tensor condition = numpy::cast(call, asArray(call, args["condition"]), c10::kBool);
    if (args["x"].isNone()) {
        return call.torch("where", {condition});
    }
    const Value x = numpy::asOperand(call, args["x"]);
    return call.torch("where", {condition, x, numpy::asOperand(call, args["y"])});
}

Value clip(Calls& call, const Bound& args) {
    const at::Tensor given = asArray(call, args["a"]);
    const auto bound = [&](const Value& value) {
        return value.isNone() ? value : Value(asArray(call, value));
    };
    const Value least = bound(args["min"]);
    return numpy::intoOut(call, args["out"], call.torch("clamp", {given, least, bound(args["max"])}));
}

Value round(Calls& call, const Bound& args) {
    const at::Tensor given = asArray(call, args["a"]);
    const Value result = c10::isFloatingType(given.scalar_type())
                             ? call.torch("round", {given}, {{"decimals", args["decimals"]}})
                             : Value(given);
    return numpy::intoOut(call, args["out"], result);
}

Value ordered(Calls& call, const Bound& args, bool places) {
    const auto [along, axis] = numpy::alongAxis(call, asArray(call, args["a"]), args["axis"]);
    const bool stable = args["kind"].isString() && args["kind"].string() == "stable";
    const Keywords options{{"dim", axis}, {"stable", stable}};
    return places ? call.torch("argsort", {along}, options) : call.torch("sort", {along}, options).items()[0];
}

Value sortInPlace(Calls& call, const Bound& args) {
    return numpy::intoOut(call, args["a"], ordered(call, args, false));
}

Value searchSorted(Calls& call, const Bound& args) {
    return call.torch("searchsorted", {asArray(call, args["a"]), asArray(call, args["v"])},
                      {{"side", args["side"]}});
}

Value takeAlongAxis(Calls& call, const Bound& args) {
    const auto [along, axis] = numpy::alongAxis(call, asArray(call, args["arr"]), args["axis"]);
    return call.torch("take_along_dim", {along, asArray(call, args["indices"]), axis});
}

Value diff(Calls& call, const Bound& args) {
    const at::Tensor given = asArray(call, args["a"]);
    return call.torch("diff", {given, args["n"], numpy::axisOf(args["axis"], given.dim())});
}

Value dot(Calls& call, const Bound& args) {
    std::vector<at::Tensor> both{asArray(call, args["a"]), asArray(call, args["b"])};
    const c10::ScalarType type = numpy::resultType(both);
    const bool isBool = type == c10::kBool;
    both = numpy::promoted(call, std::move(both), isBool ? c10::kByte : type);
    const bool scales = both[0].dim() == 0 || both[1].dim() == 0;
    const Value result = call.torch(scales ? "mul" : "matmul", {both[0], both[1]});
    return numpy::intoOut(call, args["out"], numpy::cast(call, result.tensor(), type));
}

Value inner(Calls& call, const Bound& args) {
    std::vector<at::Tensor> both{asArray(call, args["a"]), asArray(call, args["b"])};
    const c10::ScalarType type = numpy::resultType(both);
    const bool isHalf = type == c10::kHalf && (both[0].is_cpu() || both[1].is_cpu());
    const c10::ScalarType work = isHalf ? c10::kFloat : type == c10::kBool ? c10::kByte : type;
    both = numpy::promoted(call, std::move(both), work);
    return numpy::cast(call, call.torch("inner", {both[0], both[1]}).tensor(), type);
}

Value tensordot(Calls& call, const Bound& args) {
    const auto both = numpy::promoted(call, {asArray(call, args["a"]), asArray(call, args["b"])});
    return call.function("torch.functional.tensordot", {both[0], both[1]}, {{"dims", args["axes"]}});
}

Value einsum(Calls& call, const Bound& args) {
    const auto given = args["operands"].items();
    const auto behindEquation = given.empty() ? given : given.subspan(1);
    Values operands(behindEquation.begin(), behindEquation.end());
    const auto arrays = numpy::promoted(call, numpy::asArrays(call, Value::list(std::move(operands))));
    Values all{given.front()};
    all.insert(all.end(), arrays.begin(), arrays.end());
    return call.function("torch.functional.einsum", std::move(all));
}

Value trace(Calls& call, const Bound& args) {
    const Value diagonal =
        call.torch("diagonal", {asArray(call, args["a"]), args["offset"], args["axis1"], args["axis2"]});
    const auto dtype = numpy::dtypeOf(args["dtype"]);
    return call.method("sum", {diagonal, -1}, {{"dtype", dtype ? Value(*dtype) : Value()}});
}

Value close(Calls& call, const Bound& args) {
    const auto both = numpy::promoted(call, {asArray(call, args["a"]), asArray(call, args["b"])});
    return call.torch("isclose", {both[0], both[1]}, args.with({"rtol", "atol", "equal_nan"}));
}

const PythonFunction table[] = {
    {"numpy.array", "obj, dtype=None, *, copy=True, order=\"K\", subok=False, ndmin=0", array},
    {"numpy.asarray", "obj, dtype=None, order=\"K\", *, copy=False, ndmin=0", array},
    {"numpy.ascontiguousarray", "a, dtype=None", asContiguous},
    {"numpy.astype", "self, dtype, order=\"K\", casting=\"unsafe\", subok=True, copy=True", asType},
    {"numpy.copy", "a, order=\"K\"",
     [](Calls& c, const Bound& a) -> Value { return asArray(c, a["a"]).clone(); }},
    {"numpy.empty zeros ones", "shape, dtype=None, order=\"C\"", filled},
    {"numpy.empty_like zeros_like ones_like", "a, dtype=None, order=\"K\", subok=False, shape=None",
     filledLike},
    {"numpy.full", "shape, fill_value, dtype=None, order=\"C\"", full},
    {"numpy.arange", "start=None, stop=None, step=1, dtype=None", arange},
    {"numpy.linspace", "start, stop, num=50, *, dtype=None", linspace},
    {"numpy.eye", "N, M=None, k=0, dtype=None, order=\"C\"", eye},
    {"numpy.where", "condition, x=None, y=None", where},
    {"numpy.clip", "a, min=None, max=None, out=None", clip},
    {"numpy.round around round_", "a, decimals=0, out=None", round},
    {"numpy.sort", "a, axis=-1, kind=None", sharing<ordered, false>},
    {"numpy.ndarray.sort", "a, axis=-1, kind=None", sortInPlace},
    {"numpy.argsort", "a, axis=-1, kind=None", sharing<ordered, true>},
    {"numpy.searchsorted", "a, v, side=\"left\"", searchSorted},
    {"numpy.take_along_axis", "arr, indices, axis", takeAlongAxis},
    {"numpy.diff", "a, n=1, axis=-1", diff},
    {"numpy.dot", "a, b, out=None", dot},
    {"numpy.inner", "a, b", inner},
    {"numpy.outer", "a, b, out=None",
     [](Calls& c, const Bound& a) {
         return numpy::intoOut(c, a["out"], c.torch("outer", {asArray(c, a["a"]), asArray(c, a["b"])}));
     }},
    {"numpy.kron", "a, b",
     [](Calls& c, const Bound& a) {
         return c.torch("kron", {asArray(c, a["a"]), asArray(c, a["b"])});
     }},
    {"numpy.tensordot", "a, b, axes=2", tensordot},
    {"numpy.einsum", "*operands", einsum},
    {"numpy.trace", "a, offset=0, axis1=0, axis2=1, dtype=None", trace},
    {"numpy.isclose", "a, b, rtol=1e-05, atol=1e-08, equal_nan=False", close},
    {"numpy.nan_to_num", "x, copy=True, nan=0.0, posinf=None, neginf=None",
     [](Calls& c, const Bound& a) {
         return c.torch("nan_to_num", {asArray(c, a["x"])}, a.with({"nan", "posinf", "neginf"}));
     }},
    {"numpy.tril triu", "m, k=0", onArray<sameName, "m", "k">},
    {"numpy.diag diagflat", "v, k=0", onArray<sameName, "v", "k">},
    {"numpy.diagonal", "a, offset=0, axis1=0, axis2=1", onArray<"diagonal", "a", "offset", "axis1", "axis2">},
    {"numpy.real argwhere", "a", onArray<sameName, "a">},
    {"numpy.angle", "z", onArray<sameName, "z">},
    {"numpy.sinc isneginf isposinf", "x", onArray<sameName, "x">},
    {"numpy.nonzero", "a", onArray<"nonzero_numpy", "a">},
    {"numpy.int8 int16 int32 int64 uint8 float16 float32 float64 complex64 complex128 bool_", "value",
     scalarOfType},
};

} // namespace
} // namespace numpy::functions

constinit const FunctionFamily numpyFunctions = numpy::functions::table;

} // namespace aotscope::torch::ops
