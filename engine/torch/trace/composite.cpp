#include "trace/composite.h"

#include "decompositions/before_autograd.h"

namespace aotscope::torch {

bool hasComposite(const c10::OperatorHandle& op) {
    return op.hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd) ||
           compositeKernels().find(op) != nullptr;
}

bool runsComposite(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments) {
    const auto hasKernel = [&](const at::Tensor& tensor) {
        const c10::DispatchKey key = c10::computeDispatchKey(std::nullopt, std::nullopt, tensor.device());
        // CUDA kernels are not loaded; an operator with a CPU kernel is taken to have a CUDA kernel.
        return op.hasKernelForDispatchKey(key) || op.hasKernelForDispatchKey(c10::DispatchKey::CPU);
    };
    for (const c10::IValue& value : arguments) {
        if (value.isTensor() && value.toTensor().defined()) {
            return !hasKernel(value.toTensor());
        }
        if (value.isTensorList() || value.isOptionalTensorList()) {
            for (const c10::IValue& item : value.toListRef()) {
                if (item.isTensor() && item.toTensor().defined()) {
                    return !hasKernel(item.toTensor());
                }
            }
        }
    }
    return true;
}

bool decomposeComposite(const c10::OperatorHandle& op, c10::Stack& stack, const aot::TraceRules& rules) {
    if (const Decomposition kernel = compositeKernels().find(op); kernel != nullptr) {
        return decompose(kernel, op, stack, rules);
    }
    op.callBoxedForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd, stack);
    return true;
}

} // namespace aotscope::torch
