#pragma once

#include "ir/graph.h"

#include <string>
#include <vector>

/// Which node of one graph stands for which node of another, for graph_diff.cpp.
namespace aotscope::ir::detail {

/// Partners by node id index; invalid: none.
struct Matching {
    std::vector<NodeId> ofLeft;
    std::vector<NodeId> ofRight;

    void pair(NodeId left, NodeId right) {
        ofLeft[left.index()] = right;
        ofRight[right.index()] = left;
    }
    [[nodiscard]] bool leftFree(NodeId left) const { return !ofLeft[left.index()].valid(); }
    [[nodiscard]] bool rightFree(NodeId right) const { return !ofRight[right.index()].valid(); }
};

/// Matches in this order, each step only what is still free:
/// 1. placeholders by descriptor, source, name and kind;
/// 2. nodes that compute the same from the same inputs;
/// 3. runs of alike nodes between matched ones: by surroundings, then by operator and shape, by operator and
///    source line, by operator alone;
/// 4. nodes in the same place of matched users, or with the same matched inputs.
[[nodiscard]] Matching matchGraphs(const Graph& left, const Graph& right);

/// Of partners in left program order, those that keep their relative order in the right graph (a longest
/// increasing subsequence), by left node id index.
[[nodiscard]] std::vector<bool> keptInOrder(const Graph& left, const Graph& right, const Matching& matching);

/// What differs between partners, in words: operator, arguments (as seen through the matching), metadata.
/// Names are left out, and so are facts that one side does not know.
[[nodiscard]] std::vector<std::string> compareNodes(const Graph& left, const Graph& right,
                                                    const Matching& matching, NodeId leftNode,
                                                    NodeId rightNode);

} // namespace aotscope::ir::detail
