#pragma once

#include "ir/graph.h"

namespace aotscope::views {

/// A graph of its own with `node`, its inputs and its users; what those take from elsewhere becomes
/// placeholders of the same names, and the users are what it returns.
[[nodiscard]] ir::GraphPtr neighbourhood(const ir::Graph& graph, ir::NodeId node);

} // namespace aotscope::views
