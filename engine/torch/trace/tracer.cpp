#include "trace/tracer.h"

#include "dispatch/failure.h"
#include "dispatch/libtorch_release.h"
#include "dispatch/map_tensors.h"
#include "dispatch/operators.h"
#include "fake/fake_operators.h"
#include "fake/unrecorded_arithmetic.h"
#include "trace/composite.h"
#include "trace/functional_tensor.h"
#include "trace/in_place_checks.h"

#include <ATen/core/enum_tag.h>
#include <c10/core/AutogradState.h>
#include <c10/util/ScopeExit.h>
#include <torch/library.h>

#include <cstdlib>

namespace aotscope::torch {

namespace {

enum class Layer { None, Outer, Wrapper, Inner, Meta };

void noteLayer(const at::Tensor& tensor, Layer& layer) {
    if (asFunctional(tensor) != nullptr) {
        layer = Layer::Outer;
    } else if (layer != Layer::Outer && asFake(tensor) != nullptr) {
        layer = Layer::Inner;
    } else if (layer == Layer::None && tensor.is_meta()) {
        layer = Layer::Meta;
    }
}

/// The outermost layer among the arguments; a meta device argument counts as a meta tensor.
Layer layerOf(c10::ArrayRef<c10::IValue> arguments) {
    Layer layer = Layer::None;
    for (const c10::IValue& value : arguments) {
        forEachTensor(value, [&](const at::Tensor& tensor) { noteLayer(tensor, layer); });
        if (value.isDevice() && value.toDevice().is_meta() && layer == Layer::None) {
            layer = Layer::Meta;
        }
    }
    return layer;
}

void fakeFallback(const c10::OperatorHandle& op, c10::DispatchKeySet keys, c10::Stack* stack) {
    if (OperatorTaker* taker = KernelContext::current().belowAutograd) {
        taker->take(op, keys, *stack);
        return;
    }
    const c10::impl::ExcludeDispatchKeyGuard withoutFake(traceKey);
    op.callBoxed(*stack);
}

} // namespace

TraceScope::TraceScope(Tracer& tracer)
    : m_beforeAutograd(&KernelContext::beforeAutograd, &tracer.beforeAutograd()),
      m_belowAutograd(&KernelContext::belowAutograd, &tracer),
      m_include(c10::DispatchKeySet({traceKey, c10::DispatchKey::TESTING_ONLY_GenericMode})),
      m_exclude(c10::DispatchKeySet({c10::DispatchKey::Batched, c10::DispatchKey::Functionalize})),
      m_multithreading(c10::AutogradState::get_tls_state().get_multithreading_enabled()),
      m_viewReplay(c10::AutogradState::get_tls_state().get_view_replay_enabled()),
      m_reapplyViews(at::functionalization::impl::getFunctionalizationReapplyViewsTLS()) {
    c10::AutogradState::get_tls_state().set_multithreading_enabled(false);
    c10::AutogradState::get_tls_state().set_view_replay_enabled(true);
    at::functionalization::impl::setFunctionalizationReapplyViewsTLS(true);
}

TraceScope::~TraceScope() {
    c10::AutogradState::get_tls_state().set_multithreading_enabled(m_multithreading);
    c10::AutogradState::get_tls_state().set_view_replay_enabled(m_viewReplay);
    at::functionalization::impl::setFunctionalizationReapplyViewsTLS(m_reapplyViews);
}

namespace {

/// Functionalization runs an in-place operator on meta tensors only for its errors. LibTorch's shape
/// functions take no symbolic sizes, so this runs PyTorch's checks instead and returns the mutated arguments.
/// False when the call is not such a check.
bool answerSymbolicCheck(const c10::OperatorHandle& op, c10::Stack& stack) {
    const c10::FunctionSchema& schema = op.schema();
    const std::size_t first = stack.size() - schema.arguments().size();
    bool symbolic = false;
    for (std::size_t i = first; i < stack.size(); ++i) {
        forEachTensor(stack[i], [&](const at::Tensor& tensor) {
            symbolic = symbolic || tensor.unsafeGetTensorImpl()->has_symbolic_sizes_strides();
        });
    }
    if (!symbolic) {
        return false;
    }
    std::vector<c10::IValue> results;
    for (const c10::Argument& result : schema.returns()) {
        if (result.alias_info() == nullptr || !result.alias_info()->isWrite()) {
            return false;
        }
        for (std::size_t i = 0; i < schema.arguments().size(); ++i) {
            const c10::AliasInfo* alias = schema.arguments()[i].alias_info();
            if (alias != nullptr && *alias == *result.alias_info()) {
                results.push_back(stack[first + i]);
            }
        }
    }
    if (results.size() != schema.returns().size() || results.empty()) {
        return false;
    }
    checkAsInPlace(op, c10::ArrayRef<c10::IValue>(stack.data() + first, schema.arguments().size()));
    stack.erase(stack.begin() + static_cast<std::ptrdiff_t>(first), stack.end());
    stack.insert(stack.end(), results.begin(), results.end());
    return true;
}

} // namespace

/// Calls an operator on inner tensors. When it returns to functionalization, LibTorch wraps the result and
/// computes its storage size; where a release takes that size over, the arithmetic until the next call is not
/// the program's.
void Tracer::callInner(const c10::OperatorHandle& op, c10::Stack& stack) {
    const bool isOutermost =
        m_environment.rules().storageSizesAreTakenOver && m_belowState.isBelow && !m_belowState.isInInnerCall;
    if (isOutermost) {
        m_belowState.isInInnerCall = true;
        m_environment.recordsArithmetic = m_belowState.recordsArithmetic;
    }
    const auto leave = c10::make_scope_exit([&] {
        if (isOutermost) {
            m_belowState.isInInnerCall = false;
            m_environment.recordsArithmetic = false;
        }
    });
    callFake(op, stack);
}

void Tracer::dispatch(const c10::OperatorHandle& op, c10::Stack& stack) {
    const Layer layer = layerOf(argumentsOn(op, stack));
    if (layer == Layer::Outer || (layer == Layer::None && !m_belowState.isBelow)) {
        callFunctional(op, stack);
    } else if (layer == Layer::Meta) {
        if (answerSymbolicCheck(op, stack)) {
            return;
        }
        const c10::impl::ExcludeDispatchKeyGuard withoutFake(traceKey);
        op.callBoxed(stack);
    } else {
        callInner(op, stack);
    }
}

/// Decomposes an operator: by the table first, then by the composite kernel that autograd would have used.
bool Tracer::decomposeFake(const c10::OperatorHandle& op, c10::Stack& stack) {
    const Decomposition table = m_decompositions == nullptr ? nullptr : m_decompositions->find(op);
    const bool composite =
        hasComposite(op) && (m_decompositions != nullptr || runsComposite(op, argumentsOn(op, stack)));
    if (table == nullptr && !composite) {
        return false;
    }
    // Recorded nodes name this operator as their origin (original_aten), unless it is itself part of a
    // decomposition.
    const bool isOutermost = m_recorder != nullptr && m_recorder->state().originalAten.empty();
    if (isOutermost) {
        m_recorder->state().originalAten = operatorTarget(op);
    }
    const auto leave = c10::make_scope_exit([&] {
        if (isOutermost) {
            m_recorder->state().originalAten.clear();
        }
    });
    const aot::TraceRules& rules = m_environment.rules();
    return (table != nullptr && decompose(table, op, stack, rules)) ||
           (composite && decomposeComposite(op, stack, rules));
}

void Tracer::callFake(const c10::OperatorHandle& op, c10::Stack& stack) {
    if (op.operator_name().name == "aten::lift_fresh") {
        // A constant of the program is copied inside the graph, so that no mutation reaches it.
        static const auto copy = c10::Dispatcher::singleton().findSchemaOrThrow("aten::lift_fresh_copy", "");
        callFake(copy, stack);
        return;
    }
    if (m_environment.rules().linalgChecksAreEffects &&
        op.operator_name().name == "aten::_linalg_check_errors") {
        callEffect(op, stack);
        return;
    }
    if (decomposeFake(op, stack)) {
        return;
    }
    if (m_recorder == nullptr) {
        callOnFakes(op, stack, m_environment);
        return;
    }
    // A data-dependent operator on a constant gives a plain number, not a node (proxy_tensor.py: proxy_call).
    if (op.hasTag(at::Tag::data_dependent_output) && callOnConstants(op, stack, m_environment)) {
        return;
    }
    const ir::NodeId node = m_recorder->call(op, argumentsOn(op, stack));
    {
        const UnrecordedArithmetic untold(m_environment);
        callOnFakes(op, stack, m_environment);
    }
    m_recorder->bindResults(node, op, resultsOn(op, stack), !keepTensorValues);
}

/// An operator with an effect takes the token of its kind and gives the next one, which keeps the order.
void Tracer::callEffect(const c10::OperatorHandle& op, c10::Stack& stack) {
    effects.isNeeded = true;
    if (m_recorder != nullptr) {
        const c10::ArrayRef<c10::IValue> arguments = argumentsOn(op, stack);
        if (!effects.isThreaded) {
            m_recorder->call(op, arguments);
        } else if (effects.current.defined()) {
            const at::Tensor next(
                asFake(effects.current)->shallow_copy_and_detach(c10::VariableVersion(0), true));
            m_recorder->callEffect(op, arguments, effects.current, next);
            effects.current = next;
        } else {
            fail("trace.unsupported",
                 "effect tokens of the backward, with which this release of torch orders "
                 "aten._linalg_check_errors (checks of inverses, solvers and decompositions)");
        }
    }
    const UnrecordedArithmetic untold(m_environment);
    callOnFakes(op, stack, m_environment);
}

} // namespace aotscope::torch

TORCH_LIBRARY_IMPL(_, Fake, library) {
    library.fallback(torch::CppFunction::makeFromBoxedFunction<&aotscope::torch::fakeFallback>());
}
