#pragma once

#include "layout/layout.h"

#include "ir/phase.h"

#include <span>

namespace aotscope::layout {

/// The hierarchy of modules (and runs of nodes in program order) of a graph, one tree per half.
struct GroupTree {
    static constexpr std::size_t none = std::size_t(-1);

    /// A child of a group: another group or a node.
    struct Item {
        std::size_t group = none;
        ir::NodeId node;
        /// Position in program order; of a group, that of its first node that is not an input.
        std::uint32_t position = 0;
    };
    struct Entry : GroupFacts {
        std::size_t parent = none;
        /// In program order.
        std::vector<Item> children;
        std::uint32_t nodeCount = 0;
    };

    /// Entry 0 is the root of the forward half, 1 of the backward half; both are always open.
    std::vector<Entry> entries;
};

/// `phases` by node id index; empty: all nodes are forward. The graph's output stays at the top level.
[[nodiscard]] GroupTree buildGroupTree(const ir::Graph& graph, const ir::ModulePaths& modules,
                                       const std::vector<ir::Phase>& phases, const LayoutOptions& options);

/// Whether the phases, by node id index, have the node in the backward half. Empty: none is.
[[nodiscard]] inline bool isBackward(std::span<const ir::Phase> phases, ir::NodeId id) {
    return id.index() < phases.size() && phases[id.index()] == ir::Phase::Backward;
}

/// The position of an input is that of its first user, because inputs come first in every program.
[[nodiscard]] std::uint32_t drawnPosition(const ir::Graph& graph, ir::NodeId id);

/// Opens groups as the options ask: all, whole levels while the picture stays comfortable, and those that a
/// person opened.
void openGroups(GroupTree& tree, const LayoutOptions& options);

/// The title of a run: "nodes 0–199".
[[nodiscard]] std::string numberedTitle(std::uint32_t first, std::uint32_t last);

/// Every node below a group, in tree order.
[[nodiscard]] std::vector<ir::NodeId> nodesBelow(const GroupTree& tree, std::size_t entry);

} // namespace aotscope::layout
