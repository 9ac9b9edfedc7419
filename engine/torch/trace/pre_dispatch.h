#pragma once

#include "decompositions/before_autograd.h"
#include "ops/interpreter.h"
#include "trace/tracer.h"

#include <vector>

namespace aotscope::torch {

/// While it lives, what the program calls is functionalized and recorded at once, before autocast and
/// autograd see it. Operators that are made of others stay whole, but for those that change their arguments
/// or return views of them (`FunctionalTensorMode(pre_dispatch=True, export=True)`).
class PreDispatchScope {
public:
    explicit PreDispatchScope(Tracer& tracer);
    PreDispatchScope(const PreDispatchScope&) = delete;
    PreDispatchScope& operator=(const PreDispatchScope&) = delete;
    ~PreDispatchScope();

private:
    Tracer& m_tracer;
    InsteadOfAutograd m_handler;
};

/// Calls of a program that set grad mode or autocast, which become nodes of a pre-dispatch graph: nothing
/// else tells of them there.
class StateCalls {
public:
    /// Records the call, if it is one of those.
    void record(GraphRecorder& recorder, const ops::NodeCall& call);

private:
    /// Regions of autocast that are open, the innermost last: leaving one names the node that entered it.
    std::vector<ir::NodeId> m_autocasts;
};

} // namespace aotscope::torch
