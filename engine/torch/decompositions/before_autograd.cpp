#include "decompositions/before_autograd.h"

#include "dispatch/map_tensors.h"
#include "dispatch/operators.h"

#include "ir/operators/operator.h"

#include <c10/util/ScopeExit.h>
#include <torch/library.h>

#include <utility>

namespace aotscope::torch {

namespace {

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
    const auto listen = c10::make_scope_exit([&] { m_observer = observer; });
    observer->before(op, argumentsOn(op, stack));
    carryOut(op, keys, stack);
    observer->after(op, resultsOn(op, stack));
}

/// For a trace by the rules of another release. Writing in place, and each of a list, have the formulas of
/// the operator that they are named after.
void BeforeAutograd::noteChanged(const c10::OperatorHandle& op, const c10::Stack& stack) {
    constexpr std::string_view space = "aten::";
    constexpr std::string_view ofLists = "_foreach_";
    std::string_view name = op.operator_name().name;
    if (!name.starts_with(space)) {
        return;
    }
    name.remove_prefix(space.size());
    const bool isOfLists = name.starts_with(ofLists);
    name.remove_prefix(isOfLists ? ofLists.size() : 0);
    name.remove_suffix(name.ends_with('_') && !name.ends_with("__") ? 1 : 0);
    const ir::OperatorRow& known = ir::operatorNamed(name);
    constexpr ir::Trait gradient = ir::Trait::LaterGradient | ir::Trait::FollowedGradient;
    if (!known.is(gradient | ir::Trait::LaterResult)) {
        return;
    }
    const std::string& overload = op.operator_name().overload_name;
    const std::string target = "aten." + std::string(name) + "." + (overload.empty() ? "default" : overload);
    const auto is = [&](ir::Trait trait) {
        return isOfLists ? known.is(trait) : ir::Operator(target).is(trait);
    };
    if (is(ir::Trait::LaterResult)) {
        m_environment.changedOperators.insert(target);
        return;
    }
    bool needsGradient = false;
    for (const c10::IValue& argument : argumentsOn(op, stack)) {
        forEachTensor(argument, [&](const at::Tensor& tensor) {
            needsGradient = needsGradient || (c10::GradMode::is_enabled() && tensor.requires_grad()) ||
                            tensor._fw_grad(0).defined();
        });
    }
    if (needsGradient && is(gradient)) {
        m_environment.changedOperators.insert(target);
    }
}

void BeforeAutograd::carryOut(const c10::OperatorHandle& op, c10::DispatchKeySet keys, c10::Stack& stack) {
    if (m_environment.notesChangedOperators) {
        noteChanged(op, stack);
    }
    const c10::DispatchKeySet below = keys & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER,
                                                                 c10::DispatchKey::TESTING_ONLY_GenericMode);
    // If autocast comes next, it casts first and then calls the operator again.
    if (autogradComesNext(below)) {
        if (m_exchanged.exchange(op, stack)) {
            return;
        }
        Decomposition kernel = autogradKernels().find(op);
        if (kernel == nullptr) {
            kernel = compositeKernels().find(op);
        }
        if (kernel != nullptr && decompose(kernel, op, stack, m_environment.rules())) {
            return;
        }
        if (hasExchangedOperators(op)) {
            const LibTorchCode running(m_exchanged, op.operator_name().name);
            op.redispatchBoxed(asOnCpu(op, below), &stack);
            return;
        }
    }
    op.redispatchBoxed(asOnCpu(op, below), &stack);
    m_exchanged.noteResults(op, resultsOn(op, stack));
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

} // namespace aotscope::torch

TORCH_LIBRARY_IMPL(_, TESTING_ONLY_GenericMode, library) {
    library.fallback(torch::CppFunction::makeFromBoxedFunction<&aotscope::torch::preDispatchFallback>());
}
