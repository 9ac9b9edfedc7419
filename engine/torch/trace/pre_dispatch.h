#pragma once

#include "ops/interpreter.h"
#include "trace/tracer.h"

#include <vector>

namespace aotscope::torch {

/// While it lives, calls of the program are functionalized and recorded before autocast and autograd run.
/// Composite operators stay whole, except those that mutate or alias their arguments. Follows torch 2.11,
/// torch/_subclasses/functional_tensor.py: FunctionalTensorMode (pre_dispatch and export set).
class PreDispatchScope {
public:
    explicit PreDispatchScope(Tracer& tracer);
    PreDispatchScope(const PreDispatchScope&) = delete;
    PreDispatchScope& operator=(const PreDispatchScope&) = delete;
    ~PreDispatchScope();

private:
    Tracer& m_tracer;
    PreAutogradHandler m_handler;
};

/// Records calls that set grad mode or autocast as nodes of a pre-dispatch graph, which has no other trace of
/// them. Follows torch 2.11, torch/fx/experimental/proxy_tensor.py: PreDispatchTorchFunctionMode.
class StateCalls {
public:
    /// Records the call if it sets grad mode or autocast.
    void record(GraphRecorder& recorder, const ops::NodeCall& call);

private:
    /// Nodes that entered the open autocast regions, innermost last: the exit call takes the enter node as
    /// its argument.
    std::vector<ir::NodeId> m_autocasts;
};

} // namespace aotscope::torch
