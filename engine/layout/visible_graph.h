#pragma once

#include "layout/group_tree.h"
#include "layout/layout.h"

namespace aotscope::layout {

/// What is to be drawn, before anything has a place: boxes with sizes, groups, merged edges without paths.
struct VisibleGraph {
    /// Boxes, groups and edges; also boxOfNode and folded.
    Layout layout;
    /// Boxes of each half in tree order, which is program order within each group; the output of a folded
    /// graph is in neither.
    std::vector<BoxId> halves[2]; // NOLINT: forward, backward
    /// By box: place in its half's list.
    std::vector<std::uint32_t> order;
    /// By box: whether it is a placeholder (drawn beside its user).
    std::vector<bool> isInput;
    /// By box of the backward half: the forward box it belongs beside; invalid: none.
    std::vector<BoxId> partner;
    /// The output of a folded graph, at the fold: forward results flow into it from one side, gradients from
    /// the other.
    BoxId foldOutput;

    [[nodiscard]] std::size_t half(BoxId id) const { return layout.boxes[id.index()].isBackward ? 1 : 0; }
};

[[nodiscard]] VisibleGraph makeVisibleGraph(const ir::Graph& graph, const ir::ModulePaths& modules,
                                            const LayoutOptions& options);
/// The same with the phases given, by node id index; empty: not folded.
[[nodiscard]] VisibleGraph makeVisibleGraph(const ir::Graph& graph, const ir::ModulePaths& modules,
                                            const std::vector<ir::Phase>& phases,
                                            const LayoutOptions& options);

/// Phases by which a graph is folded, by node id index; empty where it is not.
[[nodiscard]] std::vector<ir::Phase> foldingPhases(const ir::Graph& graph, const LayoutOptions& options);

/// The graph's edges between boxes, merged; they have no paths. `phases` as for makeVisibleGraph.
[[nodiscard]] std::vector<Edge> mergedEdges(const ir::Graph& graph, const std::vector<BoxId>& boxOfNode,
                                            const std::vector<ir::Phase>& phases);

/// Of the tensors that a node's value holds; 0 where that is not known.
[[nodiscard]] std::int64_t nodeBytes(const ir::Graph& graph, ir::NodeId node);

/// Width of the box that shows a node.
[[nodiscard]] double nodeWidth(const ir::Node& node);

} // namespace aotscope::layout
