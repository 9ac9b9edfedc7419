#pragma once

#include "decompositions/before_autograd.h"
#include "trace/graph_recorder.h"

#include <optional>

namespace aotscope::torch {

/// The state of one trace. Takes the operators below autograd while a TraceScope lives. Follows torch 2.11,
/// torch/_subclasses/functional_tensor.py: FunctionalTensorMode, and torch/fx/experimental/proxy_tensor.py:
/// ProxyTorchDispatchMode, proxy_call.
class Tracer final : public OperatorTaker {
public:
    /// Records into `recorder`; null computes values without recording (metadata pass). Operators of
    /// `decompositions` (null: none) are decomposed before they are recorded. All arguments must outlive the
    /// tracer.
    Tracer(GraphRecorder* recorder, ShapeEnvironment& environment,
           const DecompositionSet* decompositions = nullptr)
        : m_recorder(recorder),
          m_environment(environment),
          m_decompositions(decompositions),
          m_beforeAutograd(environment) {}

    [[nodiscard]] GraphRecorder* recorder() const { return m_recorder; }
    [[nodiscard]] ShapeEnvironment& environment() const { return m_environment; }
    [[nodiscard]] BeforeAutograd& beforeAutograd() { return m_beforeAutograd; }

    /// Treats every call as part of an operator on inner tensors, so that factories make inner tensors.
    void stayBelow() { m_belowState.isBelow = true; }
    /// Whether views are synced before an operator reads them, with the origin of the value they replay. If
    /// not, the operator syncs them when it reads them.
    bool replaysFirst = true;

    void take(const c10::OperatorHandle& op, c10::DispatchKeySet /*keys*/, c10::Stack& stack) override {
        dispatch(op, stack);
    }
    /// Carries out an operator on outer, fake or meta tensors.
    void dispatch(const c10::OperatorHandle& op, c10::Stack& stack);

    /// The token that orders operators with effects (torch/_higher_order_ops/effects.py: handle_effects).
    /// There is one kind of effect, so one token.
    struct EffectToken {
        /// Whether such operators take and give the token; if not, they are recorded like others.
        bool isThreaded = false;
        /// The inner tensor that the next of them takes; undefined: the graph has no token here.
        at::Tensor current = {};
        /// Whether one of them was called.
        bool isNeeded = false;
    };
    EffectToken effects = {};

    /// While set, the result of an in-place operator does not become the node of the mutated tensor
    /// (proxy_tensor.py: _proxy_tensor_disable_update_tensor_tracker).
    bool keepTensorValues = false;

private:
    void replayViews(const at::Tensor& wrapper);
    void callFunctional(const c10::OperatorHandle& op, c10::Stack& stack);
    void noteBytes(const at::Tensor& outer) const;
    void noteUnsafeView(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments) const;
    void callInner(const c10::OperatorHandle& op, c10::Stack& stack);
    void callFake(const c10::OperatorHandle& op, c10::Stack& stack);
    void callEffect(const c10::OperatorHandle& op, c10::Stack& stack);
    bool decomposeFake(const c10::OperatorHandle& op, c10::Stack& stack);

    struct BelowState {
        /// Inside a call on functional wrappers: operators without tensor arguments make inner tensors.
        bool isBelow = false;
        /// An operator on inner tensors is running.
        bool isInInnerCall = false;
        /// Whether arithmetic was recorded when the call began.
        bool recordsArithmetic = true;
    };

    GraphRecorder* m_recorder;
    ShapeEnvironment& m_environment;
    const DecompositionSet* m_decompositions;
    BeforeAutograd m_beforeAutograd;
    BelowState m_belowState;
};

/// Sets LibTorch's thread-local state for a trace and restores it: the Fake key included for every operator,
/// views replayed, the backward on this thread.
class TraceScope {
public:
    explicit TraceScope(Tracer& tracer);
    TraceScope(const TraceScope&) = delete;
    TraceScope& operator=(const TraceScope&) = delete;
    ~TraceScope();

private:
    KernelScope m_beforeAutograd;
    KernelScope m_belowAutograd;
    c10::impl::IncludeDispatchKeyGuard m_include;
    c10::impl::ExcludeDispatchKeyGuard m_exclude;
    bool m_multithreading;
    bool m_viewReplay;
    bool m_reapplyViews;
};

} // namespace aotscope::torch
