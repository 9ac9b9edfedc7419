#pragma once

#include "ir/graph.h"

#include "base/describe.h"

#include <string>
#include <vector>

/// Structural comparison of two graphs, robust to renaming: nodes are matched by dataflow (what they compute
/// from), op, source line and position, then compared.
namespace aotscope::ir {

struct NodeDifference {
    enum class Kind { Added, Removed, Changed, Moved, Renamed };
    Kind kind = Kind::Changed;
    /// Invalid on the side where the node is absent.
    NodeId left;
    NodeId right;
    /// What changed, in words: "argument 1: 0.5 → 0.25", "shape: [8, 4] → [s0, 4]".
    std::vector<std::string> details;
};
AOTSCOPE_WORDS(NodeDifference::Kind, "added", "removed", "changed", "moved", "renamed")

struct GraphDiff {
    /// Partner of each node by node id index; invalid: none.
    std::vector<NodeId> partnerOfLeft;
    std::vector<NodeId> partnerOfRight;
    /// In program order of the right graph, removed nodes at the place of their neighbour.
    std::vector<NodeDifference> differences;

    [[nodiscard]] bool equal() const { return differences.empty(); }
    /// Equal but for names.
    [[nodiscard]] bool equalUpToNames() const;
};

[[nodiscard]] GraphDiff diffGraphs(const Graph& left, const Graph& right);

/// For people, one line per difference with both sides.
[[nodiscard]] std::string diffText(const Graph& left, const Graph& right, const GraphDiff& diff);

} // namespace aotscope::ir
