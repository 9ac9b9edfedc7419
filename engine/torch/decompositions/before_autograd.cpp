#include "decompositions/before_autograd.h"

#include "decompositions/tables.h"
#include "dispatch/release_rules.h"

#include <torch/library.h>

#include <utility>

namespace aotscope::torch {

namespace {

struct Kernels {
    Kernels() {
        addMatmulKernels(composite);
        addDropoutKernels(autograd, composite);
        addBatchNormKernels(autograd, composite);
        addUpsampleKernels(autograd, composite);
        addRecurrentKernels(autograd, composite);
        addLossKernels(autograd);
        addShrinkKernels(autograd);
        addSequenceKernels(composite);
        addSpectralKernels(composite);
        TORCH_CHECK(autograd.unknown().empty() && composite.unknown().empty(),
                    "a kernel is for an operator that this LibTorch lacks");
    }
    DecompositionSet autograd;
    DecompositionSet composite;
};

const Kernels& kernels() {
    static const Kernels all;
    return all;
}

bool autogradComesNext(c10::DispatchKeySet keys) {
    return c10::toFunctionalityKey(keys.highestPriorityTypeId()) == c10::DispatchKey::AutogradFunctionality;
}

/// Without the CUDA library an operator has no CUDA kernel, and the dispatcher would choose its composite
/// kernel even where a CUDA kernel exists. The CPU's kernels decide instead.
c10::DispatchKeySet asOnCpu(const c10::OperatorHandle& op, c10::DispatchKeySet keys) {
    if (!keys.has_backend(c10::BackendComponent::CUDABit) ||
        op.hasKernelForDispatchKey(c10::DispatchKey::CUDA)) {
        return keys;
    }
    return keys.remove_backend(c10::BackendComponent::CUDABit) |
           c10::DispatchKeySet(c10::BackendComponent::CPUBit);
}

/// Every operator of a trace arrives here first.
void preDispatchFallback(const c10::OperatorHandle& op, c10::DispatchKeySet keys, c10::Stack* stack) {
    OperatorTaker* trace = KernelContext::current().beforeAutograd;
    TORCH_INTERNAL_ASSERT(trace != nullptr);
    trace->take(op, keys, *stack);
}

} // namespace

/// The kernel of a batched call that has no batching rule in C++: the decomposition, whose operators have
/// one. Follows torch/_functorch/predispatch.py: lazy_load_decompositions.
void decomposedUnderVmap(const c10::OperatorHandle& op, c10::Stack* stack) {
    const Decomposition decomposition = decompositionTable(aot::DecompositionTable::Core)->find(op);
    TORCH_CHECK(decomposition != nullptr && decompose(decomposition, op, *stack, traceRules()),
                op.operator_name(), " has no decomposition under vmap");
}

void BeforeAutograd::take(const c10::OperatorHandle& op, c10::DispatchKeySet keys, c10::Stack& stack) {
    if (m_instead != nullptr) {
        m_instead->handler(op, stack);
        return;
    }
    ObserveProgram* observer = std::exchange(m_observer, nullptr);
    if (observer == nullptr) {
        carryOut(op, keys, stack);
        return;
    }
    struct Listen {
        ObserveProgram*& listening;
        ObserveProgram* observer;
        ~Listen() { listening = observer; }
    } const listen{m_observer, observer};
    const auto last = [&](std::size_t count) {
        return c10::ArrayRef<c10::IValue>(stack.data() + (stack.size() - count), count);
    };
    observer->before(op, last(op.schema().arguments().size()));
    carryOut(op, keys, stack);
    observer->after(op, last(op.schema().returns().size()));
}

void BeforeAutograd::carryOut(const c10::OperatorHandle& op, c10::DispatchKeySet keys, c10::Stack& stack) {
    const c10::DispatchKeySet below = keys & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER,
                                                                 c10::DispatchKey::TESTING_ONLY_GenericMode);
    // If autocast comes next, it casts first and then calls the operator again.
    if (autogradComesNext(below)) {
        if (m_exchanged.exchange(op, stack)) {
            return;
        }
        Decomposition kernel = kernels().autograd.find(op);
        if (kernel == nullptr) {
            kernel = kernels().composite.find(op);
        }
        if (kernel != nullptr && decompose(kernel, op, stack, m_rules)) {
            return;
        }
        if (hasExchangedOperators(op)) {
            const LibTorchCode running(m_exchanged, op.operator_name().name);
            op.redispatchBoxed(asOnCpu(op, below), &stack);
            return;
        }
    }
    op.redispatchBoxed(asOnCpu(op, below), &stack);
    const std::size_t count = op.schema().returns().size();
    m_exchanged.noteResults(op, c10::ArrayRef<c10::IValue>(stack.data() + (stack.size() - count), count));
}

ObserveProgram::ObserveProgram(BeforeAutograd& trace, Observer beforeCall, Observer afterCall)
    : before(std::move(beforeCall)), after(std::move(afterCall)), m_trace(trace) {
    m_trace.m_observer = this;
}

ObserveProgram::~ObserveProgram() {
    m_trace.m_observer = nullptr;
}

PreAutogradHandler::PreAutogradHandler(BeforeAutograd& trace, Handler carriesOut)
    : handler(std::move(carriesOut)), m_trace(trace) {
    m_trace.m_instead = this;
}

PreAutogradHandler::~PreAutogradHandler() {
    m_trace.m_instead = nullptr;
}

const DecompositionSet& autogradKernels() {
    return kernels().autograd;
}

const DecompositionSet& compositeKernels() {
    return kernels().composite;
}

} // namespace aotscope::torch

TORCH_LIBRARY_IMPL(_, TESTING_ONLY_GenericMode, library) {
    library.fallback(torch::CppFunction::makeFromBoxedFunction<&aotscope::torch::preDispatchFallback>());
}

// LibTorch lacks batching rules for these.
TORCH_LIBRARY_IMPL(aten, FuncTorchBatched, library) {
    for (const char* name :
         {"mse_loss_backward", "smooth_l1_loss_backward", "huber_loss_backward", "nll_loss_forward",
          "nll_loss2d_forward", "nll_loss_backward", "nll_loss2d_backward", "addr"}) {
        library.impl(name,
                     torch::CppFunction::makeFromBoxedFunction<&aotscope::torch::decomposedUnderVmap>());
    }
}
