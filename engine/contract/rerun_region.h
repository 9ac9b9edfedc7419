#pragma once

#include "ir/graph.h"

#include "base/result.h"

#include <span>
#include <string>
#include <vector>

namespace aotscope::session {

/// Nodes of a graph that can run alone, on the values that they take from outside.
struct RerunRegion {
    /// In program order.
    std::vector<ir::NodeId> nodes;
    /// Nodes outside whose values they use, in the order of their first use.
    std::vector<ir::NodeId> inputs;
    /// Those of `nodes` whose values are used outside, or nowhere.
    std::vector<ir::NodeId> outputs;
};

/// The region of these nodes. Errors: rerun.no_nodes; rerun.no_such_node; rerun.not_computed (an input or the
/// output of the graph); rerun.not_convex (a path leads out of the nodes and back, and is named).
[[nodiscard]] base::Result<RerunRegion> rerunRegion(const ir::Graph& graph,
                                                    std::span<const std::string> names);

} // namespace aotscope::session
