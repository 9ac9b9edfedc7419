#include "ops/value.h"

#include "base/mapped.h"
#include "dispatch/failure.h"
#include "dispatch/map_tensors.h"
#include "fake/shape_environment.h"
#include "fake/symbolic_number.h"

#include <ATen/ScalarOps.h>

namespace aotscope::torch::ops {

namespace {

using c10::IValue;
using c10::TypeKind;

[[noreturn]] void doesNotFit(const Value& value, const c10::TypePtr& type) {
    fail("ops.type", "A value of type " + value.typeName() + " does not fit " + type->str() + ".");
}

c10::SymInt intOf(const Value& value, const c10::TypePtr& type) {
    if (value.isInt() || value.isBool()) {
        return value.symInt();
    }
    // Python's bindings accept a zero-dimensional integer tensor as an integer.
    if (value.isTensor() && value.tensor().dim() == 0 &&
        c10::isIntegralType(value.tensor().scalar_type(), true)) {
        return value.tensor().item().toLong();
    }
    doesNotFit(value, type);
}

c10::Scalar scalarOf(const Value& value, const c10::TypePtr& type) {
    if (value.isNumber()) {
        return value.scalar();
    }
    if (value.isTensor() && value.tensor().dim() == 0) {
        return value.tensor().item();
    }
    doesNotFit(value, type);
}

IValue floatOf(const Value& value, const c10::TypePtr& type) {
    if (value.isFloat() || value.isInt() || value.isBool()) {
        const c10::SymFloat number = value.symFloat();
        return number.is_symbolic() ? IValue(number) : IValue(number.as_float_unchecked());
    }
    return scalarOf(value, type).toDouble();
}

c10::ScalarType dtypeOf(const Value& value, const c10::TypePtr& type) {
    if (const auto* function = value.as<FunctionReference>()) {
        // Python's own types stand for dtypes.
        const std::string& name = function->target;
        if (name == "float" || name == "builtins.float") {
            return c10::ScalarType::Double;
        }
        if (name == "int" || name == "builtins.int") {
            return c10::ScalarType::Long;
        }
        if (name == "bool" || name == "builtins.bool") {
            return c10::ScalarType::Bool;
        }
    }
    if (!value.is<c10::ScalarType>()) {
        doesNotFit(value, type);
    }
    return value.dtype();
}

c10::Device deviceOf(const Value& value, const c10::TypePtr& type) {
    if (const auto* device = value.as<c10::Device>()) {
        return *device;
    }
    if (value.isString()) {
        return c10::Device(value.string());
    }
    if (value.isInt()) {
        return c10::Device(c10::kCUDA, static_cast<c10::DeviceIndex>(value.integer()));
    }
    doesNotFit(value, type);
}

IValue listOf(const Value& value, const c10::TypePtr& type, std::optional<std::int32_t> count,
              bool numbersAsTensors) {
    const c10::TypePtr wanted = type->expectRef<c10::ListType>().getElementType();
    const bool repeats = !value.isSequence() && count && *count > 0 && (value.isNumber() || value.isTensor());
    if (!value.isSequence() && !repeats) {
        doesNotFit(value, type);
    }
    const Values repeated = repeats ? Values(static_cast<std::size_t>(*count), value) : Values();
    const std::span<const Value> items = repeats ? std::span<const Value>(repeated) : value.items();
    if (wanted->kind() == TypeKind::SymIntType || wanted->kind() == TypeKind::IntType) {
        auto ints = base::mapped(items, [&](const Value& item) { return intOf(item, wanted); });
        return IValue(c10::SymIntArrayRef(ints));
    }
    c10::impl::GenericList list(wanted);
    list.reserve(items.size());
    for (const Value& item : items) {
        list.push_back(toIValue(item, wanted, std::nullopt, numbersAsTensors));
    }
    return list;
}

/// The hint of a symbolic integer: its value for the logged sizes. Adds no guard.
std::int64_t hintOf(const c10::SymInt& integer) {
    return asSymbolic(integer) == nullptr ? integer.guard_int(__FILE__, __LINE__) : sampledValue(integer, 0);
}

} // namespace

at::Tensor wrappedNumber(const Value& number) {
    // For a symbolic number the tensor holds the hint and also keeps the symbolic number.
    c10::Scalar scalar = number.scalar();
    c10::SymNode symbolic;
    if (const auto* integer = number.as<c10::SymInt>(); integer != nullptr && integer->is_symbolic()) {
        scalar = c10::Scalar(hintOf(*integer));
        symbolic = integer->toSymNode();
    } else if (const auto* real = number.as<c10::SymFloat>(); real != nullptr && real->is_symbolic()) {
        symbolic = real->toSymNodeImpl();
        scalar = c10::Scalar(dynamic_cast<const SymbolicNode&>(*symbolic).value(0));
    } else if (scalar.isSymbolic()) {
        scalar = number.isBool() ? c10::Scalar(number.truth()) : c10::Scalar(number.real());
    }
    if (symbolic) {
        return wrappedSymbolicNumber(scalar, std::move(symbolic));
    }
    at::Tensor tensor = at::scalar_to_tensor(scalar);
    tensor.unsafeGetTensorImpl()->set_wrapped_number(true);
    return tensor;
}

IValue toIValue(const Value& value, const c10::TypePtr& type, std::optional<std::int32_t> count,
                bool numbersAsTensors) {
    switch (type->kind()) {
    case TypeKind::OptionalType:
        if (value.isNone()) {
            return {};
        }
        return toIValue(value, type->expectRef<c10::OptionalType>().getElementType(), count,
                        numbersAsTensors);
    case TypeKind::TensorType:
        if (numbersAsTensors && value.isNumber()) {
            return wrappedNumber(value);
        }
        return value.isNone() ? IValue(at::Tensor()) : IValue(value.tensor());
    case TypeKind::ListType:
        return listOf(value, type, count, numbersAsTensors);
    case TypeKind::IntType:
    case TypeKind::SymIntType:
        return intOf(value, type);
    case TypeKind::FloatType:
    case TypeKind::SymFloatType:
        return floatOf(value, type);
    case TypeKind::BoolType:
    case TypeKind::SymBoolType:
        if (value.isTensor() && value.tensor().dim() == 0) {
            return value.tensor().item().toBool();
        }
        if (!value.isBool() && !value.isInt()) {
            doesNotFit(value, type);
        }
        return value.truth();
    case TypeKind::ComplexType: {
        const c10::Scalar scalar = scalarOf(value, type);
        return scalar.toComplexDouble();
    }
    case TypeKind::NumberType:
        return scalarOf(value, type);
    case TypeKind::ScalarTypeType:
        return dtypeOf(value, type);
    case TypeKind::LayoutType:
        if (const auto* layout = value.as<c10::Layout>()) {
            return *layout;
        }
        doesNotFit(value, type);
    case TypeKind::MemoryFormatType:
        if (const auto* format = value.as<c10::MemoryFormat>()) {
            return *format;
        }
        doesNotFit(value, type);
    case TypeKind::DeviceObjType:
        return deviceOf(value, type);
    case TypeKind::StringType:
        return value.string();
    case TypeKind::NoneType:
        return {};
    default:
        if (value.isNone()) {
            return {};
        }
        doesNotFit(value, type);
    }
}

namespace {

/// A kind of result that is no tuple or list, and its Python value.
struct PlainKind {
    bool (IValue::*is)() const;
    Value (*read)(const IValue& value);
};
constexpr PlainKind plainKinds[] = {
    {&IValue::isNone, [](const IValue& /*value*/) { return Value(); }},
    {&IValue::isTensor, [](const IValue& value) { return Value(value.toTensor()); }},
    {&IValue::isBool, [](const IValue& value) { return Value(value.toBool()); }},
    {&IValue::isInt, [](const IValue& value) { return Value(value.toSymInt()); }},
    {&IValue::isSymInt, [](const IValue& value) { return Value(value.toSymInt()); }},
    {&IValue::isDouble, [](const IValue& value) { return Value(value.toSymFloat()); }},
    {&IValue::isSymFloat, [](const IValue& value) { return Value(value.toSymFloat()); }},
    {&IValue::isSymBool, [](const IValue& value) { return Value(value.toSymBool()); }},
    {&IValue::isComplexDouble, [](const IValue& value) { return Value(value.toComplexDouble()); }},
    {&IValue::isString, [](const IValue& value) { return Value(value.toStringRef()); }},
    {&IValue::isDevice, [](const IValue& value) { return Value(value.toDevice()); }},
};

} // namespace

Value fromIValue(const IValue& value, bool listsAsTuples) {
    for (const PlainKind& kind : plainKinds) {
        if ((value.*kind.is)()) {
            return kind.read(value);
        }
    }
    if (value.isTuple() || value.isList()) {
        const bool asTuple = value.isTuple() || (listsAsTuples && value.isTensorList());
        auto items =
            base::mapped(itemsIn(value), [&](const IValue& item) { return fromIValue(item, listsAsTuples); });
        return asTuple ? Value::tuple(std::move(items)) : Value::list(std::move(items));
    }
    return Object{value.tagKind(), nullptr};
}

} // namespace aotscope::torch::ops
