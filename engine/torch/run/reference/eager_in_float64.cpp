#include "run/reference/eager_in_float64.h"

#include "dispatch/failure.h"

namespace aotscope::torch {

namespace {

bool isDtype(const c10::Argument& argument) {
    c10::TypePtr type = argument.real_type();
    if (const auto optional = type->cast<c10::OptionalType>()) {
        type = optional->getElementType();
    }
    return type->kind() == c10::TypeKind::ScalarTypeType;
}

/// Operators that read a number's bits, which differ in a wider dtype.
bool readsBits(const c10::OperatorHandle& op) {
    const std::string_view name = plainName(op);
    return (name == "view" && op.operator_name().overload_name == "dtype") || name == "nextafter" ||
           name == "frexp";
}

} // namespace

void EagerInFloat64::call(const c10::OperatorHandle& op, c10::Stack& stack) {
    if (readsBits(op)) {
        fail("call.no_float64", op.operator_name().name + " reads the bits of a number");
    }
    const auto& arguments = op.schema().arguments();
    const std::size_t first = stack.size() - arguments.size();
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        c10::IValue& value = stack[first + i];
        if (value.isInt() && isDtype(arguments[i])) {
            value = static_cast<std::int64_t>(exactType(static_cast<c10::ScalarType>(value.toInt())));
        }
    }
    carryOut(op, stack);
}

} // namespace aotscope::torch
