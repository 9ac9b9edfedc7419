#pragma once

#include "ir/graph.h"

#include <vector>

namespace aotscope::views {

/// A graph with `node`, its inputs and its users. Values from outside become placeholders of the same names;
/// the users are returned.
[[nodiscard]] ir::GraphPtr neighbourhood(const ir::Graph& graph, ir::NodeId node);

/// A graph with only these nodes. Values from outside become placeholders of the same names; it returns
/// values that are used outside or not at all.
[[nodiscard]] ir::GraphPtr partOf(const ir::Graph& graph, const std::vector<ir::NodeId>& nodes);

} // namespace aotscope::views
