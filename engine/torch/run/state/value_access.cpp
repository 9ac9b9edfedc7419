#include "run/state/value_access.h"

#include "base/mapped.h"
#include "dispatch/failure.h"

namespace aotscope::torch {

using c10::IValue;

at::Tensor tensorArgument(const IValue& value) {
    if (!value.isTensor() || !value.toTensor().defined()) {
        fail("run.arguments", "A tensor is needed, but " + value.tagKind() + " was given.");
    }
    return value.toTensor();
}

std::int64_t intArgument(const IValue& value) {
    if (value.isBool()) {
        return static_cast<std::int64_t>(value.toBool());
    }
    if (!value.isInt()) {
        fail("run.arguments", "An integer is needed, but " + value.tagKind() + " was given.");
    }
    return value.toInt();
}

std::vector<std::int64_t> intsArgument(const IValue& value) {
    if (!value.isList() && !value.isTuple()) {
        fail("run.arguments", "A list of integers is needed, but " + value.tagKind() + " was given.");
    }
    return base::mapped(elementsOf(value), intArgument);
}

c10::ScalarType dtypeArgument(const IValue& value) {
    const std::int64_t number = intArgument(value);
    if (number < 0 || number >= static_cast<std::int64_t>(c10::ScalarType::NumOptions)) {
        fail("run.arguments", "A dtype is needed, but the given number is not one.");
    }
    return static_cast<c10::ScalarType>(number);
}

std::vector<IValue> elementsOf(const IValue& value) {
    if (value.isNone()) {
        return {};
    }
    return value.isTuple() || value.isList() ? itemsIn(value).vec() : std::vector{value};
}

std::string numberText(const IValue& value) {
    if (value.isInt()) {
        return std::to_string(value.toInt());
    }
    if (value.isDouble()) {
        return std::to_string(value.toDouble());
    }
    return value.isBool() ? value.toBool() ? "True" : "False" : "";
}

std::vector<at::Tensor> tensorsIn(const c10::IValue& value) {
    std::vector<at::Tensor> tensors;
    forEachTensor(value, [&](const at::Tensor& tensor) { tensors.push_back(tensor); });
    return tensors;
}

} // namespace aotscope::torch
