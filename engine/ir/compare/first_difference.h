#pragma once

#include "ir/graph.h"

#include "base/describe.h"

#include <optional>
#include <set>
#include <string>

/// Whether two graphs are the same program in the same order, as PyTorch prints them: the strict comparison,
/// where graph_diff is the lenient one.
namespace aotscope::ir {

/// The first node at which two graphs part.
struct FirstDifference {
    /// Position in program order; of a difference in the body of a graph module that of the node that fetches
    /// or calls it.
    std::size_t position = 0;
    /// "target", "arguments", "name", "metadata", "descriptor", "length"; in a body with its name: "arguments
    /// in true_graph_0".
    std::string what;
    /// The node of either side as a line of text; empty when that side has no node left.
    std::string left;
    std::string right;
};
AOTSCOPE_MEMBERS(FirstDifference, position, what, left, right)

struct DifferenceOptions {
    /// Nodes may be called differently.
    bool ignoreNames = false;
    /// What is returned may be described differently.
    bool ignoreOutputDescriptors = false;
};

/// Compares opcode, target, arguments (nodes by position), printed metadata (dtype, shape, stride, device),
/// names and descriptors, node by node, and the bodies of graph modules where both sides have them. Facts one
/// side does not know are no difference. Nothing: equal.
[[nodiscard]] std::optional<FirstDifference> firstDifference(const Graph& left, const Graph& right,
                                                             const DifferenceOptions& options = {});

/// The first node whose tag of activation checkpointing differs (NodeOrigin::recompute), or whose region of
/// it (acGraphId) is another: PyTorch counts regions per process, so each region of one graph has to be one
/// of the other. Only nodes with a source line on both sides are compared, as only there a text shows both.
/// Of nodes in the regions `skipped` of `right` only the region is compared. Graphs of different length agree
/// up to the end of the shorter one.
[[nodiscard]] std::optional<FirstDifference> firstTagDifference(const Graph& left, const Graph& right,
                                                                const std::set<std::int64_t>& skipped = {});

/// How many nodes from the start agree.
[[nodiscard]] std::size_t agreeingNodes(const Graph& left, const Graph& right,
                                        const DifferenceOptions& options);

} // namespace aotscope::ir
