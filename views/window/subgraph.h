#pragma once

#include "ir/graph.h"

#include <vector>

namespace aotscope::views {

/// A graph of its own with `node`, its inputs and its users; what those take from elsewhere becomes
/// placeholders of the same names, and the users are what it returns.
[[nodiscard]] ir::GraphPtr neighbourhood(const ir::Graph& graph, ir::NodeId node);

/// A graph of its own with these nodes; what they take from elsewhere becomes placeholders of the same names,
/// and it returns what is used elsewhere, or by nobody.
[[nodiscard]] ir::GraphPtr partOf(const ir::Graph& graph, const std::vector<ir::NodeId>& nodes);

} // namespace aotscope::views
