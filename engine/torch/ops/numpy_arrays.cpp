#include "ops/numpy_arrays.h"

#include "base/mapped.h"
#include "base/text_search.h"
#include "dispatch/failure.h"

#include <algorithm>
#include <map>
#include <string>

namespace aotscope::torch::ops::numpy {

namespace {

/// Methods such as `__setitem__` are the functions of the same name without the underscores.
const PythonFunction* findUnmarked(const std::string& name) {
    constexpr std::string_view module = "numpy.__";
    if (name.starts_with(module) && name.ends_with("__") && name.size() > module.size() + 2) {
        return findPythonFunction("numpy." + name.substr(module.size(), name.size() - module.size() - 2));
    }
    return findPythonFunction(name);
}

constexpr std::string_view wrapperModule = "torch__dynamo_utils_";
constexpr std::string_view wrapped = "wrapped_";
constexpr std::string_view methods = "ndarray.";

} // namespace

const PythonFunction* findFunction(std::string_view target) {
    if (!target.starts_with(wrapperModule)) {
        return nullptr;
    }
    std::string name = "numpy.";
    const std::string_view wrapper = target.substr(wrapperModule.size());
    name += wrapper.starts_with(wrapped) ? wrapper.substr(wrapped.size()) : wrapper;
    if (const PythonFunction* function = findUnmarked(name)) {
        return function;
    }
    const std::size_t mark = name.rfind('_');
    const bool isNumbered = mark != std::string::npos && mark + 1 < name.size() &&
                            name.find_first_not_of("0123456789", mark + 1) == std::string::npos;
    return isNumbered ? findUnmarked(name.substr(0, mark)) : nullptr;
}

std::string methodTarget(const std::string& target) {
    const std::string prefix = std::string(wrapperModule) + std::string(wrapped);
    if (target.starts_with(prefix)) {
        std::string method = std::string(wrapperModule) + std::string(methods) + target.substr(prefix.size());
        if (findFunction(method) != nullptr) {
            return method;
        }
    }
    return target;
}

c10::ScalarType typeOf(const Value& data) {
    return inferredType(data, c10::kDouble);
}

at::Tensor asArray(Calls& call, const Value& value) {
    if (value.isTensor()) {
        return value.tensor();
    }
    if (value.isSequence() && !value.items().empty()) {
        const auto items = value.items();
        if (std::ranges::all_of(items, [](const Value& item) { return item.isTensor(); })) {
            return call.torch("stack", {value}).tensor();
        }
    }
    return call.function("torch.as_tensor", {value}, {{"dtype", typeOf(value)}}).tensor();
}

Value asOperand(Calls& call, const Value& value) {
    return value.isNumber() ? value : Value(asArray(call, value));
}

std::vector<at::Tensor> asArrays(Calls& call, const Value& sequence) {
    if (sequence.isTensor()) {
        return asArrays(call, call.method("unbind", {sequence}));
    }
    return base::mapped(sequence.items(), [&](const Value& item) { return asArray(call, item); });
}

Value asList(const std::vector<at::Tensor>& arrays) {
    return Value::list(Values(arrays.begin(), arrays.end()));
}

std::optional<c10::ScalarType> dtypeOf(const Value& value) {
    if (value.isNone()) {
        return std::nullopt;
    }
    if (value.is<c10::ScalarType>()) {
        return value.dtype();
    }
    static const auto names = [] {
        constexpr std::pair<c10::ScalarType, std::string_view> rows[] = {
            {c10::kBool, "bool bool_ ?"},
            {c10::kByte, "uint8 ubyte B u1"},
            {c10::kChar, "int8 byte b i1"},
            {c10::kShort, "int16 short h i2"},
            {c10::kInt, "int32 intc i i4"},
            {c10::kLong, "int64 int_ intp longlong int l i8"},
            {c10::kUInt16, "uint16"},
            {c10::kUInt32, "uint32"},
            {c10::kUInt64, "uint64 ulonglong"},
            {c10::kHalf, "float16 half e f2"},
            {c10::kFloat, "float32 single f f4"},
            {c10::kDouble, "float64 double float_ float d f8"},
            {c10::kComplexFloat, "complex64 csingle singlecomplex F c8"},
            {c10::kComplexDouble, "complex128 cdouble cfloat complex_ complex D c16"},
        };
        std::map<std::string_view, c10::ScalarType> byName;
        for (auto [type, rest] : rows) {
            while (!rest.empty()) {
                byName.emplace(base::takePart(rest, ' '), type);
            }
        }
        return byName;
    }();
    std::string name = value.isString() ? value.string() : std::string();
    if (const auto* type = value.as<FunctionReference>()) {
        name = type->target.substr(type->target.rfind('.') + 1);
    }
    const auto found = names.find(name);
    if (found == names.end()) {
        fail("ops.type", "A value of type " + value.typeName() + " names no dtype of NumPy.");
    }
    return found->second;
}

at::Tensor cast(Calls& call, const at::Tensor& array, std::optional<c10::ScalarType> dtype) {
    return !dtype || array.scalar_type() == *dtype ? array : call.method("to", {array, *dtype}).tensor();
}

at::Tensor castToFloat(Calls& call, const at::Tensor& array) {
    return c10::isIntegralType(array.scalar_type(), true) ? cast(call, array, c10::kDouble) : array;
}

namespace {

c10::ScalarType resultType(c10::ScalarType left, c10::ScalarType right) {
    if (c10::isIntegralType(right, true) && !c10::isIntegralType(left, true)) {
        std::swap(left, right);
    }
    const bool mixed = c10::isIntegralType(left, true) && !c10::isIntegralType(right, true);
    if (!mixed || left == c10::kBool) {
        return c10::promoteTypes(left, right);
    }
    const std::size_t bytes = c10::elementSize(left);
    const c10::ScalarType holds = bytes == 1 ? c10::kHalf : bytes == 2 ? c10::kFloat : c10::kDouble;
    return c10::promoteTypes(holds, right);
}

} // namespace

c10::ScalarType resultType(const std::vector<at::Tensor>& arrays) {
    if (arrays.empty()) {
        fail("ops.arguments", "NumPy needs at least one array here.");
    }
    c10::ScalarType type = arrays.front().scalar_type();
    for (const at::Tensor& array : arrays) {
        type = resultType(type, array.scalar_type());
    }
    return type;
}

std::vector<at::Tensor> promoted(Calls& call, std::vector<at::Tensor> arrays,
                                 std::optional<c10::ScalarType> dtype) {
    const c10::ScalarType type = dtype ? *dtype : resultType(arrays);
    for (at::Tensor& array : arrays) {
        array = cast(call, array, type);
    }
    return arrays;
}

std::vector<std::int64_t> axesOf(const Value& axis, std::int64_t dims) {
    std::vector<std::int64_t> axes;
    const Values one{axis};
    for (const Value& item : axis.isSequence() ? axis.items() : std::span<const Value>(one)) {
        const std::int64_t given = item.isTensor() ? item.tensor().item().toLong() : item.integer();
        if (given < -dims || given >= dims) {
            fail("ops.arguments", "axis " + std::to_string(given) +
                                      " is out of bounds for array of dimension " + std::to_string(dims));
        }
        axes.push_back(given < 0 ? given + dims : given);
    }
    return axes;
}

std::int64_t axisOf(const Value& axis, std::int64_t dims) {
    const std::vector<std::int64_t> axes = axesOf(axis, dims);
    if (axes.size() != 1) {
        fail("ops.arguments", "One axis is needed here, not several.");
    }
    return axes.front();
}

Value sizesWithOnes(const at::Tensor& array, const Value& axes) {
    std::vector<c10::SymInt> sizes = array.sym_sizes().vec();
    const std::size_t added = axes.isSequence() ? axes.items().size() : 1;
    std::vector<std::int64_t> places = axesOf(axes, array.dim() + static_cast<std::int64_t>(added));
    std::sort(places.begin(), places.end());
    for (const std::int64_t place : places) {
        sizes.insert(sizes.begin() + place, 1);
    }
    return Value::size(sizes);
}

std::pair<at::Tensor, std::int64_t> alongAxis(Calls& call, const at::Tensor& array, const Value& axis) {
    if (axis.isNone()) {
        return {call.method("flatten", {array}).tensor(), 0};
    }
    return {array, axisOf(axis, array.dim())};
}

Value intoOut(Calls& call, const Value& out, const Value& result) {
    if (out.isNone()) {
        return result;
    }
    call.method("copy_", {out, result});
    return out;
}

} // namespace aotscope::torch::ops::numpy
