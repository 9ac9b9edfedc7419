#include "fake/meta/compute_shapes.h"

#include "fake/meta/layouts.h"
#include "fake/meta/real_zeros.h"

#include <ATen/native/TypeProperties.h>

#include <algorithm>
#include <array>
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

/// PyTorch's references of pointwise operators convert each operand to the dtype they compute in (float32 for
/// bfloat16), before they choose the layout of the result; a converted tensor is dense. Replaces the meta
/// tensors among the arguments on the stack for which this makes a difference (expanded ones) by dense ones
/// of their own dtype. Other operators' arguments stay. Follows torch 2.11, torch/_refs/__init__.py:
/// _make_elementwise_binary_reference, and torch/_prims/__init__.py: _convert_element_type_meta.
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

void onRealZeros(const c10::OperatorHandle& op, c10::Stack& stack, std::vector<std::string>& ran) {
    if (!runOnRealZeros(op, stack, ran)) {
        // Throws, and names the operator.
        op.callBoxed(stack);
    }
}

} // namespace

bool hasShapeKernel(const c10::OperatorHandle& op) {
    constexpr std::array keys = {c10::DispatchKey::Meta, c10::DispatchKey::CompositeImplicitAutograd,
                                 c10::DispatchKey::CompositeExplicitAutograd,
                                 c10::DispatchKey::CompositeExplicitAutogradNonFunctional,
                                 c10::DispatchKey::BackendSelect};
    return std::ranges::any_of(keys, [&op](c10::DispatchKey key) { return op.hasKernelForDispatchKey(key); });
}

void computeShapes(const c10::OperatorHandle& op, c10::Stack& stack, std::vector<std::string>& onZeros) {
    if (op.hasKernelForDispatchKey(c10::DispatchKey::Meta)) {
        convertOperands(op, stack);
        op.callBoxed(stack);
        return;
    }
    if (!hasShapeKernel(op)) {
        onRealZeros(op, stack, onZeros);
        return;
    }
    const std::size_t first = stack.size() - op.schema().arguments().size();
    const c10::Stack arguments(stack.begin() + static_cast<std::ptrdiff_t>(first), stack.end());
    try {
        op.callBoxed(stack);
    } catch (const c10::NotImplementedError&) {
        stack.resize(first);
        stack.insert(stack.end(), arguments.begin(), arguments.end());
        onRealZeros(op, stack, onZeros);
    }
}

} // namespace aotscope::torch
