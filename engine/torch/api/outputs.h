#pragma once

#include "api/handles.h"

namespace aotscope::torch::api {

/// Refuses a graph that returns anything but a tuple or list (trace.outputs). Follows torch 2.15,
/// torch/_functorch/_aot_autograd/graph_capture_wrappers.py: create_functional_call.
void checkTuple(const Graph& graph);

/// Refuses a graph that does not return one flat tuple or list (trace.export). Follows torch 2.15,
/// torch/_functorch/aot_autograd.py: aot_export_joint_simple.
void checkFlatTuple(const Graph& graph);

} // namespace aotscope::torch::api
