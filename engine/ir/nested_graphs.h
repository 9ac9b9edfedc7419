#pragma once

#include "ir/graph.h"

#include <string>
#include <vector>

namespace aotscope::ir {

/// A graph inside of another one: the body of a higher-order operator.
struct NestedGraph {
    /// Names from the outermost graph inwards.
    std::vector<std::string> path;
    GraphPtr graph;
    /// The target of the call that gets the body; empty: nothing in the graph uses it.
    std::string usedBy;
};

/// All graphs inside of a frozen graph, on all levels; each before those inside of it.
[[nodiscard]] std::vector<NestedGraph> nestedGraphs(const Graph& graph);

} // namespace aotscope::ir
