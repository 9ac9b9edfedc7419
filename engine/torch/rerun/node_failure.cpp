#include "rerun/node_failure.h"

#include "dispatch/handled_error.h"

namespace aotscope::torch {

base::Error nodeFailure(const ir::Graph& graph, ir::NodeId node) {
    base::Error error = handledError("run.operator_failed");
    error.message = firstLine(error.message);
    if (node.valid() && error.place.node.empty()) {
        error.place.node = graph.node(node).name;
        error.message = "The node " + graph.node(node).name + " (" + graph.node(node).target +
                        ") failed: " + error.message;
    }
    return error;
}

} // namespace aotscope::torch
