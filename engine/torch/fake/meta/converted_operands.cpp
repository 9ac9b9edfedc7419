#include "fake/meta/converted_operands.h"

#include "fake/meta/layouts.h"

#include <ATen/native/TypeProperties.h>

#include <array>
#include <string_view>
#include <unordered_map>

namespace aotscope::torch {

namespace {

/// Those that compute in a float dtype, whatever their operands are.
constexpr std::array<std::string_view, 4> floating = {"aten::atan2", "aten::div", "aten::logaddexp",
                                                      "aten::xlogy"};

constexpr std::array<std::string_view, 27> others = {
    "aten::add",         "aten::addcdiv",  "aten::addcmul", "aten::bitwise_and", "aten::bitwise_or",
    "aten::bitwise_xor", "aten::copysign", "aten::eq",      "aten::fmax",        "aten::fmin",
    "aten::fmod",        "aten::ge",       "aten::gt",      "aten::heaviside",   "aten::hypot",
    "aten::igamma",      "aten::igammac",  "aten::le",      "aten::lt",          "aten::maximum",
    "aten::minimum",     "aten::mul",      "aten::ne",      "aten::nextafter",   "aten::pow",
    "aten::remainder",   "aten::sub"};

/// By name, whether an operator computes in a float dtype; others are not there.
const std::unordered_map<std::string_view, bool>& converting() {
    static const auto all = [] {
        std::unordered_map<std::string_view, bool> isFloating;
        for (const std::string_view name : floating) {
            isFloating.emplace(name, true);
        }
        for (const std::string_view name : others) {
            isFloating.emplace(name, false);
        }
        return isFloating;
    }();
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
