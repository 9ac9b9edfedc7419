#pragma once

#include "ir/graph.h"
#include "ir/node_fate.h"

#include <cstdint>
#include <optional>
#include <vector>

/// What the forward of a joint graph saves for the backward, and who needs it there.
namespace aotscope::layout {

struct SavedValue {
    /// A node of the drawn graph.
    ir::NodeId node;
    std::int64_t bytes = 0;
    /// Bytes of what a saved-tensors hook stores in its place; nothing: no hook packs it.
    std::optional<std::int64_t> stored = {};
    friend bool operator==(const SavedValue&, const SavedValue&) = default;
};

/// What a partition does with the nodes of a drawn graph.
struct SplitFacts {
    ir::NodeFates fates;
    /// By node id index: whether the partition has the node at all. Empty: it has all.
    std::vector<bool> known = {};
    /// By node id index: the earlier equal node that the partition replaces it by. Empty: none.
    std::vector<ir::NodeId> mergedInto = {};
    /// In the partition's order: its tensors, then its symbols.
    std::vector<SavedValue> saved = {};

    [[nodiscard]] bool knows(ir::NodeId node) const { return known.empty() || known[node.index()]; }
};

/// For a graph whose nodes are all known: the saved values are those of fate `Saved`, with their own bytes.
[[nodiscard]] SplitFacts splitFacts(const ir::Graph& graph, ir::NodeFates fates);

/// By saved value: the backward nodes that need it. These are the users in the backward, and those of its
/// views that the backward recomputes; if there are none, the nearest backward nodes behind other values that
/// are recomputed from it; if there are none either and it is returned, the output. Empty for a graph that is
/// no joint graph, and for a value that only sizes need.
[[nodiscard]] std::vector<std::vector<ir::NodeId>> backwardUsers(const ir::Graph& graph,
                                                                 const SplitFacts& facts);

} // namespace aotscope::layout
