#include "ops/numpy_arrays.h"
#include "ops/python_operators.h"

#include "base/mapped.h"
#include "dispatch/failure.h"

#include <ATen/ops/cat.h>

#include <algorithm>
#include <numeric>

/// NumPy's functions and methods that reshape, join, split and index arrays. Follows torch 2.11,
/// torch/_numpy/_funcs_impl.py and _ndarray.py. A method takes the same arguments as the function of its
/// name, the array first.
namespace aotscope::torch::ops {

namespace numpy::shapes {
namespace {

Value reshape(Calls& call, const Bound& args) {
    const Value sizes = args["newshape"].isNone() ? listOrArguments(args["sizes"]) : args["newshape"];
    return call.method("reshape", {asArray(call, args["a"]), sizes});
}

Value permuted(Calls& call, const at::Tensor& array, const Value& axes) {
    if (axes.isNone() || (axes.isSequence() && axes.items().empty())) {
        std::vector<std::int64_t> order(static_cast<std::size_t>(array.dim()));
        std::iota(order.rbegin(), order.rend(), 0);
        return call.method("permute", {array, Value::ints(order)});
    }
    return call.method("permute", {array, axes});
}

Value transpose(Calls& call, const Bound& args) {
    const auto rest = args["order"].items();
    const bool isNone = rest.size() == 1 && rest[0].isNone();
    const Value axes = isNone || rest.empty() ? args["axes"] : listOrArguments(args["order"]);
    return permuted(call, asArray(call, args["a"]), axes);
}

/// torch/_dynamo/utils.py: numpy_attr_wrapper
Value attribute(Calls& call, const Bound& args) {
    const at::Tensor array = asArray(call, args["obj"]);
    const std::string& name = args["name"].string();
    if (name == "T") {
        return permuted(call, array, {});
    }
    if (name == "real") {
        return call.torch("real", {array});
    }
    if (name == "imag") {
        return array.is_complex() ? call.attribute(array, "imag") : call.torch("zeros_like", {array});
    }
    fail("ops.unknown_function", "The attribute " + name + " of NumPy's arrays is not known here.");
}

Value squeeze(Calls& call, const Bound& args) {
    const at::Tensor array = asArray(call, args["a"]);
    const Value& axis = args["axis"];
    if (axis.isNone()) {
        return call.method("squeeze", {array});
    }
    if (!axis.isSequence()) {
        return call.method("squeeze", {array, axis});
    }
    // PyTorch squeezes the original array for each axis, so only the last axis counts.
    Value result = array;
    for (const Value& one : axis.items()) {
        result = call.method("squeeze", {array, one});
    }
    return result;
}

Value expandDims(Calls& call, const Bound& args) {
    const at::Tensor array = asArray(call, args["a"]);
    return call.method("view", {array, numpy::sizesWithOnes(array, args["axis"])});
}

Value swapAxes(Calls& call, const Bound& args) {
    const at::Tensor array = asArray(call, args["a"]);
    return call.torch("swapaxes",
                      {array, axisOf(args["axis1"], array.dim()), axisOf(args["axis2"], array.dim())});
}

Value moveAxis(Calls& call, const Bound& args) {
    const at::Tensor array = asArray(call, args["a"]);
    return call.torch("moveaxis", {array, Value::ints(axesOf(args["source"], array.dim())),
                                   Value::ints(axesOf(args["destination"], array.dim()))});
}

Value flip(Calls& call, const Bound& args) {
    const at::Tensor array = asArray(call, args["m"]);
    std::vector<std::int64_t> axes(static_cast<std::size_t>(array.dim()));
    std::iota(axes.begin(), axes.end(), 0);
    return call.torch("flip",
                      {array, Value::ints(args["axis"].isNone() ? axes : axesOf(args["axis"], array.dim()))});
}

Value roll(Calls& call, const Bound& args) {
    const at::Tensor array = asArray(call, args["a"]);
    if (args["axis"].isNone()) {
        return call.torch("roll", {array, args["shift"]});
    }
    const std::vector<std::int64_t> axes = axesOf(args["axis"], array.dim());
    const Value& shift = args["shift"];
    const Value shifts = shift.is<Tuple>() ? shift : Value::tuple(Values(axes.size(), shift));
    return call.torch("roll", {array, shifts, Value::ints(axes)});
}

Value concatenate(Calls& call, const Bound& args) {
    std::vector<at::Tensor> arrays = numpy::asArrays(call, args["arrays"]);
    Value axis = args["axis"];
    if (axis.isNone()) {
        for (at::Tensor& array : arrays) {
            array = call.method("flatten", {array}).tensor();
        }
        axis = 0;
    }
    auto dtype = numpy::dtypeOf(args["dtype"]);
    if (!args["out"].isNone()) {
        dtype = args.tensor("out").scalar_type();
    }
    arrays = numpy::promoted(call, std::move(arrays), dtype);
    return numpy::intoOut(call, args["out"], at::cat(arrays, axis.integer()));
}

std::vector<at::Tensor> promotedArrays(Calls& call, const Bound& args) {
    return numpy::promoted(call, numpy::asArrays(call, args["arrays"]), numpy::dtypeOf(args["dtype"]));
}

Value stacked(Calls& call, const Bound& args, std::string_view op) {
    return call.torch(op, {numpy::asList(promotedArrays(call, args))});
}

Value stack(Calls& call, const Bound& args) {
    const auto arrays = promotedArrays(call, args);
    return call.torch("stack", {numpy::asList(arrays), axisOf(args["axis"], arrays.front().dim() + 1)});
}

Value append(Calls& call, const Bound& args) {
    at::Tensor array = asArray(call, args["arr"]);
    at::Tensor values = asArray(call, args["values"]);
    Value axis = args["axis"];
    if (axis.isNone()) {
        array = array.dim() == 1 ? array : call.method("flatten", {array}).tensor();
        values = call.method("flatten", {values}).tensor();
        axis = 0;
    }
    return at::cat(numpy::promoted(call, {array, values}), axis.integer());
}

/// The lengths of the pieces; `sections` is a number of pieces or a list of split positions.
Value pieces(Calls& call, const at::Tensor& array, const Value& sections, std::int64_t axis, bool strict) {
    const std::int64_t length = array.sym_size(axis).guard_int(__FILE__, __LINE__);
    std::vector<std::int64_t> lengths;
    if (sections.isSequence()) {
        std::int64_t before = 0;
        std::size_t beyond = 0;
        for (const Value& item : sections.items()) {
            const std::int64_t cut = item.integer();
            if (cut > length) {
                ++beyond;
                continue;
            }
            lengths.push_back(cut - before);
            before = cut;
        }
        lengths.push_back(length - before);
        lengths.insert(lengths.end(), beyond, 0);
    } else {
        const std::int64_t count = sections.integer();
        if (count <= 0 || (strict && length % count != 0)) {
            fail("ops.arguments", "An array of length " + std::to_string(length) + " has no " +
                                      std::to_string(count) + " equal parts.");
        }
        lengths.assign(static_cast<std::size_t>(count), length / count);
        std::fill_n(lengths.begin(), length % count, length / count + 1);
    }
    return call.method("split", {array, Value::ints(lengths), axis});
}

Value split(Calls& call, const Bound& args, bool strict) {
    const at::Tensor array = asArray(call, args["ary"]);
    return pieces(call, array, args["indices_or_sections"], axisOf(args["axis"], array.dim()), strict);
}

Value splitAlong(Calls& call, const Bound& args, std::int64_t axis) {
    const at::Tensor array = asArray(call, args["ary"]);
    const std::int64_t along = axis == 1 && array.dim() == 1 ? 0 : axis;
    return pieces(call, array, args["indices_or_sections"], axisOf(along, array.dim()), true);
}

Value meshgrid(Calls& call, const Bound& args) {
    const std::vector<at::Tensor> given = numpy::asArrays(call, args["xi"]);
    const bool swaps = args["indexing"].string() == "xy" && given.size() > 1;
    Values output;
    for (std::size_t i = 0; i < given.size(); ++i) {
        std::vector<std::int64_t> sizes(given.size(), 1);
        sizes[i] = -1;
        output.push_back(call.method("reshape", {given[i], Value::ints(sizes)}));
    }
    for (std::size_t i = 0; swaps && i < 2; ++i) {
        std::vector<std::int64_t> sizes(given.size(), 1);
        sizes[1 - i] = -1;
        output[i] = call.method("reshape", {output[i], Value::ints(sizes)});
    }
    Value all = Value::list(std::move(output));
    if (!args.flag("sparse")) {
        all = call.torch("broadcast_tensors", {all});
    }
    return Value::list(base::mapped(
        all.items(), [&](const Value& one) { return args.flag("copy") ? one.tensor().clone() : one; }));
}

bool isAdvanced(const Value& index) {
    return index.isSequence() || index.isBool() ||
           (index.isTensor() && (index.tensor().scalar_type() == c10::kBool || index.tensor().dim() > 0));
}

/// Converts a NumPy subscript for a tensor: a negative step becomes a flip, narrow integer indices become
/// int64, and an integer next to a list or array becomes a list of one.
std::pair<Value, Value> subscript(Calls& call, Value array, const Value& index) {
    Values parts;
    if (index.is<Tuple>()) {
        parts.assign(index.items().begin(), index.items().end());
    } else {
        parts.push_back(index);
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (const auto* slice = parts[i].as<Slice>()) {
            const Value& step = (*slice->parts)[2];
            if (!step.isNone() && step.integer() < 0) {
                array = call.torch("flip", {array, Value::tuple({static_cast<std::int64_t>(i)})});
                const auto after = [](const Value& bound) {
                    return bound.isNone() || bound.integer() == 0 ? Value() : Value(bound.integer() + 1);
                };
                parts[i] =
                    Value::slice(after((*slice->parts)[1]), after((*slice->parts)[0]), -step.integer());
            }
        } else if (parts[i].isTensor() && parts[i].tensor().scalar_type() != c10::kLong &&
                   c10::isIntegralType(parts[i].tensor().scalar_type(), false)) {
            parts[i] = numpy::cast(call, parts[i].tensor(), c10::kLong);
        }
    }
    if (std::ranges::any_of(parts, isAdvanced)) {
        for (Value& part : parts) {
            const bool isNumber = part.isInt() || (part.isTensor() && part.tensor().dim() == 0 &&
                                                   c10::isIntegralType(part.tensor().scalar_type(), false));
            part = isNumber ? Value::list({part}) : part;
        }
    }
    return {array, Value::tuple(std::move(parts))};
}

Value getItem(Calls& call, const Bound& args) {
    const auto [array, index] = subscript(call, args["self"], args["index"]);
    return callPythonOperator(call, "getitem", {array, index});
}

Value setItem(Calls& call, const Bound& args) {
    const auto [array, index] = subscript(call, args["self"], args["index"]);
    Value value = args["value"];
    if (!value.isNumber()) {
        value = numpy::cast(call, asArray(call, value), array.tensor().scalar_type());
    }
    return callPythonOperator(call, "setitem", {array, index, value});
}

Value take(Calls& call, const Bound& args) {
    const auto [array, axis] = numpy::alongAxis(call, asArray(call, args["a"]), args["axis"]);
    Values index(static_cast<std::size_t>(axis), Value::slice({}, {}, {}));
    index.emplace_back(asArray(call, args["indices"]));
    index.emplace_back(Ellipsis{});
    return callPythonOperator(call, "getitem", {array, Value::tuple(std::move(index))});
}

constexpr std::string_view stackParameters = "arrays, *, dtype=None, casting=\"same_kind\"";

const PythonFunction table[] = {
    {"numpy.reshape", "a, *sizes, newshape=None, order=\"C\"", reshape},
    {"numpy.transpose", "a, *order, axes=None", transpose},
    {"numpy.numpy_attr_wrapper", "obj, name", attribute},
    {"numpy.ravel flatten", "a, order=\"C\"", onArray<"flatten", "a">},
    {"numpy.squeeze", "a, axis=None", squeeze},
    {"numpy.expand_dims", "a, axis", expandDims},
    {"numpy.swapaxes", "a, axis1, axis2", swapAxes},
    {"numpy.moveaxis", "a, source, destination", moveAxis},
    {"numpy.flip", "m, axis=None", flip},
    {"numpy.flipud fliplr", "m", onArray<sameName, "m">},
    {"numpy.roll", "a, shift, axis=None", roll},
    {"numpy.concatenate", "arrays, axis=0, out=None, dtype=None, casting=\"same_kind\"", concatenate},
    {"numpy.vstack row_stack", stackParameters, sharing<stacked, "vstack">},
    {"numpy.hstack dstack column_stack", stackParameters, byOwnName<stacked>},
    {"numpy.stack", "arrays, axis=0, *, dtype=None, casting=\"same_kind\"", stack},
    {"numpy.append", "arr, values, axis=None", append},
    {"numpy.split", "ary, indices_or_sections, axis=0", sharing<split, true>},
    {"numpy.array_split", "ary, indices_or_sections, axis=0", sharing<split, false>},
    {"numpy.hsplit", "ary, indices_or_sections", sharing<splitAlong, 1>},
    {"numpy.vsplit", "ary, indices_or_sections", sharing<splitAlong, 0>},
    {"numpy.dsplit", "ary, indices_or_sections", sharing<splitAlong, 2>},
    {"numpy.broadcast_to", "array, shape", onArray<"broadcast_to", "array", "shape">},
    {"numpy.broadcast_arrays", "*args",
     [](Calls& c, const Bound& a) {
         return c.torch("broadcast_tensors", {numpy::asList(numpy::asArrays(c, a["args"]))});
     }},
    {"numpy.meshgrid", "*xi, copy=True, sparse=False, indexing=\"xy\"", meshgrid},
    {"numpy.tile", "A, reps",
     [](Calls& c, const Bound& a) {
         return c.torch("tile", {asArray(c, a["A"]), repeated(a["reps"], 1)});
     }},
    {"numpy.repeat", "a, repeats, axis=None", onArray<"repeat_interleave", "a", "repeats", "axis">},
    {"numpy.getitem", "self, index", getItem},
    {"numpy.setitem", "self, index, value", setItem},
    {"numpy.take", "a, indices, axis=None", take},
};

} // namespace
} // namespace numpy::shapes

constinit const FunctionFamily numpyShapeFunctions = numpy::shapes::table;

} // namespace aotscope::torch::ops
