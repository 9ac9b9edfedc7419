#include "fake/meta/compute_shapes.h"

#include "fake/meta/converted_operands.h"
#include "fake/meta/real_zeros.h"

#include <algorithm>
#include <array>

namespace aotscope::torch {

namespace {

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
    return std::any_of(keys.begin(), keys.end(),
                       [&op](c10::DispatchKey key) { return op.hasKernelForDispatchKey(key); });
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
