#pragma once

#include "ir/graph.h"

#include "base/result.h"

namespace aotscope::torch {

/// The error for the exception that is being handled, with the node that failed before its message. Call it
/// in a catch block that does not catch Canceled.
[[nodiscard]] base::Error nodeFailure(const ir::Graph& graph, ir::NodeId node);

} // namespace aotscope::torch
