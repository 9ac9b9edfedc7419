#include "dispatch/schema_match.h"

#include "dispatch/failure.h"
#include "dispatch/map_tensors.h"

#include <ATen/ScalarOps.h>

#include <algorithm>
#include <cmath>

namespace aotscope::torch {

namespace {

using c10::IValue;
using c10::TypeKind;

/// An argument that cannot become the type; caught where its name is known.
struct DoesNotFit {};

c10::Scalar asScalar(const IValue& value) {
    if (value.isTensor()) {
        const at::Tensor& tensor = value.toTensor();
        if (!tensor.defined() || tensor.numel() != 1) {
            throw DoesNotFit{};
        }
        return tensor.item();
    }
    if (!value.isScalar()) {
        throw DoesNotFit{};
    }
    return value.toScalar();
}

IValue toTensorValue(const IValue& value) {
    if (value.isTensor()) {
        return value;
    }
    at::Tensor tensor = at::scalar_to_tensor(asScalar(value));
    tensor.unsafeGetTensorImpl()->set_wrapped_number(true);
    return tensor;
}

IValue toIntValue(const IValue& value) {
    if (value.isInt()) {
        return value;
    }
    if (value.isBool()) {
        return static_cast<std::int64_t>(value.toBool());
    }
    if (value.isTensor() && value.toTensor().defined() && value.toTensor().numel() == 1 &&
        c10::isIntegralType(value.toTensor().scalar_type(), true)) {
        return value.toTensor().item().toLong();
    }
    throw DoesNotFit{};
}

IValue toFloatValue(const IValue& value) {
    if (value.isDouble()) {
        return value;
    }
    const c10::Scalar scalar = asScalar(value);
    if (scalar.isComplex()) {
        throw DoesNotFit{};
    }
    return scalar.toDouble();
}

IValue toBoolValue(const IValue& value) {
    if (value.isBool()) {
        return value;
    }
    if (value.isInt()) {
        return value.toInt() != 0;
    }
    throw DoesNotFit{};
}

IValue coerce(const IValue& value, const c10::TypePtr& type, std::optional<std::int32_t> fixedSize,
              int depth);

IValue toListValue(const IValue& value, const c10::TypePtr& type, std::optional<std::int32_t> fixedSize,
                   int depth) {
    const c10::TypePtr wanted = type->expectRef<c10::ListType>().getElementType();
    // Symbolic integers have values here, so lists of them are lists of plain integers.
    const bool isSymbolic = wanted->kind() == TypeKind::SymIntType;
    c10::impl::GenericList list(isSymbolic ? c10::TypePtr(c10::IntType::get()) : wanted);
    if (value.isList() || value.isTuple()) {
        list.reserve(itemsIn(value).size());
        for (const IValue& item : itemsIn(value)) {
            list.push_back(coerce(item, wanted, std::nullopt, depth + 1));
        }
        return list;
    }
    // A lone number stands for a list of it: `int[2] kernel_size` accepts 3.
    if (fixedSize && *fixedSize > 0 && *fixedSize < 16 && value.isScalar()) {
        for (std::int32_t i = 0; i < *fixedSize; ++i) {
            list.push_back(coerce(value, wanted, std::nullopt, depth + 1));
        }
        return list;
    }
    throw DoesNotFit{};
}

IValue coerce(const IValue& value, const c10::TypePtr& type, std::optional<std::int32_t> fixedSize,
              int depth) {
    if (depth > 8) {
        throw DoesNotFit{};
    }
    switch (type->kind()) {
    case TypeKind::OptionalType:
        if (value.isNone()) {
            return {};
        }
        return coerce(value, type->expectRef<c10::OptionalType>().getElementType(), fixedSize, depth + 1);
    case TypeKind::TensorType:
        return toTensorValue(value);
    case TypeKind::ListType:
        return toListValue(value, type, fixedSize, depth);
    case TypeKind::IntType:
    case TypeKind::SymIntType:
        return toIntValue(value);
    case TypeKind::FloatType:
    case TypeKind::SymFloatType:
        return toFloatValue(value);
    case TypeKind::BoolType:
    case TypeKind::SymBoolType:
        return toBoolValue(value);
    case TypeKind::NumberType:
        return asScalar(value);
    case TypeKind::DeviceObjType:
        return value.isDevice() ? value : IValue(c10::Device(c10::kCPU));
    case TypeKind::StringType:
        if (!value.isString()) {
            throw DoesNotFit{};
        }
        return value;
    case TypeKind::ScalarTypeType:
    case TypeKind::LayoutType:
    case TypeKind::MemoryFormatType:
        return toIntValue(value);
    default:
        if (value.isNone() && type->kind() != TypeKind::NoneType) {
            throw DoesNotFit{};
        }
        return value;
    }
}

IValue coerceArgument(const c10::FunctionSchema& schema, const c10::Argument& argument, const IValue& value) {
    if (argument.name() == "pin_memory" && value.isBool()) {
        // Pinned memory needs a GPU and does not change the values.
        return false;
    }
    try {
        return coerce(value, argument.type(), argument.N(), 0);
    } catch (const DoesNotFit&) {
        fail("run.arguments", schema.name() + ": the argument \"" + argument.name() + "\" should be " +
                                  argument.type()->str() + ", but is " + value.tagKind() + ".");
    }
}

} // namespace

c10::Stack matchSchema(const c10::FunctionSchema& schema, std::vector<IValue> args,
                       const NamedValues& kwargs) {
    const std::vector<c10::Argument>& wanted = schema.arguments();
    std::size_t positional = 0;
    while (positional < wanted.size() && !wanted[positional].kwarg_only()) {
        ++positional;
    }
    if (args.size() > positional) {
        fail("run.arguments", schema.name() + " takes at most " + std::to_string(positional) +
                                  " positional arguments, but was given " + std::to_string(args.size()) +
                                  ".");
    }
    for (const auto& [name, value] : kwargs) {
        const auto index = schema.argumentIndexWithName(name);
        if (!index || static_cast<std::size_t>(*index) < args.size()) {
            fail("run.arguments", schema.name() + (index ? " was given \"" + name + "\" twice."
                                                         : " has no argument \"" + name + "\"."));
        }
    }
    c10::Stack stack;
    stack.reserve(wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (i < args.size()) {
            stack.push_back(coerceArgument(schema, wanted[i], args[i]));
            continue;
        }
        const auto given = std::find_if(kwargs.begin(), kwargs.end(),
                                        [&](const auto& kwarg) { return kwarg.first == wanted[i].name(); });
        if (given != kwargs.end()) {
            stack.push_back(coerceArgument(schema, wanted[i], given->second));
        } else if (wanted[i].default_value()) {
            stack.push_back(*wanted[i].default_value());
        } else {
            fail("run.arguments", schema.name() + ": the argument \"" + wanted[i].name() + "\" is missing.");
        }
    }
    return stack;
}

} // namespace aotscope::torch
