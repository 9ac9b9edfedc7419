#include "fake/meta/converted_operands.h"

#include "fake/meta/layouts.h"

#include <ATen/native/TypeProperties.h>

#include <string_view>
#include <unordered_map>

namespace aotscope::torch {

namespace {

/// By name, whether an operator computes in a float dtype, whatever its operands are; others are not there.
const std::unordered_map<std::string_view, bool>& converting() {
    static const std::unordered_map<std::string_view, bool> all = {
        {"aten::atan2", true},        {"aten::div", true},          {"aten::logaddexp", true},
        {"aten::xlogy", true},        {"aten::add", false},         {"aten::addcdiv", false},
        {"aten::addcmul", false},     {"aten::bitwise_and", false}, {"aten::bitwise_or", false},
        {"aten::bitwise_xor", false}, {"aten::copysign", false},    {"aten::eq", false},
        {"aten::fmax", false},        {"aten::fmin", false},        {"aten::fmod", false},
        {"aten::ge", false},          {"aten::gt", false},          {"aten::heaviside", false},
        {"aten::hypot", false},       {"aten::igamma", false},      {"aten::igammac", false},
        {"aten::le", false},          {"aten::lt", false},          {"aten::maximum", false},
        {"aten::minimum", false},     {"aten::mul", false},         {"aten::ne", false},
        {"aten::nextafter", false},   {"aten::pow", false},         {"aten::remainder", false},
        {"aten::sub", false},
    };
    return all;
}

} // namespace

void convertOperands(const c10::OperatorHandle& op, c10::Stack& stack) {
    const auto found = converting().find(op.operator_name().name);
    if (found == converting().end()) {
        return;
    }
    const bool isFloating = found->second;
    const std::size_t first = stack.size() - op.schema().arguments().size();
    at::native::ResultTypeState types;
    bool anyLoose = false;
    for (std::size_t i = first; i < stack.size(); ++i) {
        if (stack[i].isTensor() && stack[i].toTensor().defined()) {
            const at::Tensor& tensor = stack[i].toTensor();
            types = at::native::update_result_type_state(tensor, types);
            anyLoose = anyLoose || !tensor.is_non_overlapping_and_dense();
        } else if (stack[i].isScalar() && op.schema().arguments()[i - first].name() != "alpha") {
            types = at::native::update_result_type_state(stack[i].toScalar(), types);
        }
    }
    if (!anyLoose) {
        return;
    }
    const c10::ScalarType promoted = at::native::result_type(types);
    const c10::ScalarType compute = computeTypeOf(isFloating ? floatTypeOf(promoted) : promoted);
    for (std::size_t i = first; i < stack.size(); ++i) {
        if (!stack[i].isTensor() || !stack[i].toTensor().defined()) {
            continue;
        }
        const at::Tensor tensor = stack[i].toTensor();
        if (tensor.scalar_type() != compute && !tensor.is_non_overlapping_and_dense() && tensor.is_meta()) {
            stack[i] = emptyLike(tensor);
        }
    }
}

} // namespace aotscope::torch
