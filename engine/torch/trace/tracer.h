#pragma once

#include "decompositions/decomposition_set.h"
#include "trace/graph_recorder.h"

#include <optional>

namespace aotscope::torch {

/// The state of one trace, found by the boxed fallback on DispatchKey::Fake through a thread-local pointer
/// while a TraceScope lives.
class Tracer {
public:
    /// Records into `recorder`; with none, values are computed and nothing is recorded (metadata pass).
    /// Operators of `decompositions` (null: none) are replaced before they are recorded.
    Tracer(GraphRecorder* recorder, ShapeEnvironment& environment,
           const DecompositionSet* decompositions = nullptr)
        : m_recorder(recorder), m_environment(environment), m_decompositions(decompositions) {}

    [[nodiscard]] GraphRecorder* recorder() const { return m_recorder; }
    [[nodiscard]] ShapeEnvironment& environment() const { return m_environment; }

    /// Takes everything for what operators on inner tensors are made of: factories make inner tensors too.
    void stayBelow() { m_below = true; }
    /// Whether views are brought up to date before an operator reads them, with the source of the value they
    /// replay; else where the operator reads them.
    bool replaysFirst = true;

    /// The boxed fallback's work: an operator on outer tensors, or on fake ones.
    void dispatch(const c10::OperatorHandle& op, c10::Stack& stack);

    /// While set, in-place results do not become the value of the tensor they change
    /// (`_proxy_tensor_disable_update_tensor_tracker`).
    bool keepTensorValues = false;

private:
    void replayViews(const at::Tensor& wrapper);
    void callFunctional(const c10::OperatorHandle& op, c10::Stack& stack);
    void noteBytes(const at::Tensor& outer) const;
    void callFake(const c10::OperatorHandle& op, c10::Stack& stack);
    bool decomposeFake(const c10::OperatorHandle& op, c10::Stack& stack);

    GraphRecorder* m_recorder;
    ShapeEnvironment& m_environment;
    const DecompositionSet* m_decompositions;
    /// Inside of a call on functional wrappers: operators without tensor arguments make inner values.
    bool m_below = false;
};

/// Sets LibTorch's thread-local state for a trace and takes it back at its end: the Fake key seen by every
/// operator, views replayed rather than copied, backward on this thread.
class TraceScope {
public:
    explicit TraceScope(Tracer& tracer);
    TraceScope(const TraceScope&) = delete;
    TraceScope& operator=(const TraceScope&) = delete;
    ~TraceScope();

private:
    Tracer* m_previous;
    c10::impl::IncludeDispatchKeyGuard m_include;
    c10::impl::ExcludeDispatchKeyGuard m_exclude;
    bool m_multithreading;
    bool m_viewReplay;
    bool m_reapplyViews;
};

} // namespace aotscope::torch
