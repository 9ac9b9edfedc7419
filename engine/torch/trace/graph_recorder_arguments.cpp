#include "trace/graph_recorder.h"

#include "dispatch/constant_names.h"
#include "dispatch/dtypes.h"
#include "fake/symbolic_number.h"

#include <algorithm>

/// Arguments of operators as arguments of FX nodes.
namespace aotscope::torch {

namespace {

ir::Argument scalarArgument(const c10::Scalar& scalar) {
    if (scalar.isBoolean()) {
        return scalar.toBool();
    }
    if (scalar.isIntegral(false)) {
        return scalar.toLong();
    }
    if (scalar.isFloatingPoint()) {
        return scalar.toDouble();
    }
    const auto complex = scalar.toComplexDouble();
    return std::complex<double>(complex.real(), complex.imag());
}

/// The value of a wrapped number, read without a call of the dispatcher.
ir::Argument wrappedNumber(const at::Tensor& tensor) {
    const void* data = tensor.const_data_ptr();
    switch (tensor.scalar_type()) {
    case c10::ScalarType::Bool:
        return *static_cast<const bool*>(data);
    case c10::ScalarType::Long:
        return *static_cast<const std::int64_t*>(data);
    case c10::ScalarType::Double:
        return *static_cast<const double*>(data);
    case c10::ScalarType::ComplexDouble: {
        const auto value = *static_cast<const c10::complex<double>*>(data);
        return std::complex<double>(value.real(), value.imag());
    }
    default:
        TORCH_CHECK(false, "a number wrapped as a tensor of dtype ", tensor.scalar_type());
    }
}

/// The type without optionals ("Tensor?" → "Tensor").
c10::TypePtr strippedOptional(c10::TypePtr type) {
    while (type->kind() == c10::TypeKind::OptionalType) {
        type = type->castRaw<c10::OptionalType>()->getElementType();
    }
    return type;
}

bool sameDefault(const c10::IValue& value, const c10::IValue& fallback) {
    if (value.isTensor() || fallback.isTensor()) {
        return value.isTensor() && !value.toTensor().defined() && fallback.isNone();
    }
    if (value.isSymInt() || fallback.isSymInt()) {
        return value.isInt() && fallback.isInt() && value.toInt() == fallback.toInt();
    }
    if (value.isList() && fallback.isList()) {
        const auto left = value.toListRef();
        const auto right = fallback.toListRef();
        return left.size() == right.size() &&
               std::equal(left.begin(), left.end(), right.begin(), sameDefault);
    }
    return value == fallback;
}

} // namespace

ir::Argument GraphRecorder::tensorArgument(const at::Tensor& tensor) {
    if (!tensor.defined()) {
        return ir::NoneArgument{};
    }
    if (const auto node = tryNode(tensor)) {
        return *node;
    }
    if (tensor.unsafeGetTensorImpl()->is_wrapped_number()) {
        if (const SymbolicNumber* number = symbolicNumber(tensor)) {
            return symbolArgument(number->node.get());
        }
        return wrappedNumber(tensor);
    }
    TORCH_CHECK(asFake(tensor) == nullptr && !tensor.is_meta(), "a tensor of shape ", tensor.sym_sizes(),
                " is used, but no input and no recorded operator made it");
    return constant(tensor);
}

ir::Argument GraphRecorder::argument(const c10::IValue& value, const c10::TypePtr& declared) {
    const c10::TypePtr type = strippedOptional(declared);
    if (value.isNone()) {
        return ir::NoneArgument{};
    }
    if (value.isTensor()) {
        return tensorArgument(value.toTensor());
    }
    if (value.isInt()) {
        switch (type->kind()) {
        case c10::TypeKind::ScalarTypeType:
            return dtypeOf(static_cast<c10::ScalarType>(value.toInt()));
        case c10::TypeKind::LayoutType:
            return ir::LayoutArgument{layoutName(static_cast<c10::Layout>(value.toInt()))};
        case c10::TypeKind::MemoryFormatType:
            return ir::MemoryFormatArgument{memoryFormatName(static_cast<c10::MemoryFormat>(value.toInt()))};
        default:
            return value.toInt();
        }
    }
    if (value.isBool()) {
        return value.toBool();
    }
    if (value.isDouble()) {
        return value.toDouble();
    }
    if (value.isSymFloat()) {
        return symbolArgument(value.toSymFloat().toSymNodeImplUnowned());
    }
    if (value.isScalar() && !value.isSymBool()) {
        const c10::Scalar scalar = value.toScalar();
        if (scalar.isSymInt() && scalar.toSymInt().is_symbolic()) {
            return symbolArgument(scalar.toSymInt().toSymNodeImplUnowned());
        }
        return scalarArgument(scalar);
    }
    if (value.isSymInt()) {
        return symbolArgument(value.toSymInt().toSymNodeImplUnowned());
    }
    if (value.isSymBool()) {
        return symbolArgument(value.toSymBool().toSymNodeImpl().get());
    }
    if (value.isString()) {
        return value.toStringRef();
    }
    if (value.isDevice()) {
        return ir::DeviceArgument{deviceOf(value.toDevice())};
    }
    if (value.isList()) {
        ir::ListArgument list;
        const c10::TypePtr element = type->kind() == c10::TypeKind::ListType
                                         ? type->castRaw<c10::ListType>()->getElementType()
                                         : c10::TypePtr(c10::AnyType::get());
        for (const c10::IValue& item : value.toListRef()) {
            list.items.push_back(argument(item, element));
        }
        return list;
    }
    TORCH_CHECK(value.isGenerator(), "an argument of type ", value.tagKind(), " cannot be recorded");
    return ir::NoneArgument{};
}

void GraphRecorder::addArguments(ir::Node& node, const c10::OperatorHandle& op,
                                 c10::ArrayRef<c10::IValue> arguments) {
    const auto& declared = op.schema().arguments();
    std::size_t positional = 0;
    while (positional < declared.size() && !declared[positional].kwarg_only()) {
        ++positional;
    }
    std::size_t kept = positional;
    while (kept > 0 && declared[kept - 1].default_value() &&
           sameDefault(arguments[kept - 1], *declared[kept - 1].default_value())) {
        --kept;
    }
    for (std::size_t i = 0; i < kept; ++i) {
        node.args.push_back(argument(arguments[i], declared[i].real_type()));
    }
    for (std::size_t i = positional; i < declared.size(); ++i) {
        if (declared[i].default_value() && sameDefault(arguments[i], *declared[i].default_value())) {
            continue;
        }
        node.kwargs.push_back({declared[i].name(), argument(arguments[i], declared[i].real_type())});
    }
}

} // namespace aotscope::torch
