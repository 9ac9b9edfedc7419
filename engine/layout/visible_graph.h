#pragma once

#include "layout/group_tree.h"
#include "layout/layout.h"

namespace aotscope::layout {

/// The parts of a picture before they are placed: boxes with sizes, groups, merged edges without paths.
struct VisibleGraph {
    /// Boxes, groups, edges, boxOfNode and folded are set.
    Layout layout;
    /// Boxes of each half in tree order (program order within a group), without the output of a folded graph.
    std::vector<BoxId> halves[2]; // NOLINT: forward, backward
    /// By box: index in the list of its half.
    std::vector<std::uint32_t> order;
    /// By box: whether it is a placeholder, which is drawn beside its user.
    std::vector<bool> isInput;
    /// By box of the backward half: the forward box to align it with; invalid: none.
    std::vector<BoxId> partner;
    /// The output of a folded graph, between the halves: forward results come from one side, gradients from
    /// the other. Invalid: the graph is not folded.
    BoxId foldOutput;

    [[nodiscard]] std::size_t half(BoxId id) const { return layout.boxes[id.index()].isBackward ? 1 : 0; }
};

[[nodiscard]] VisibleGraph makeVisibleGraph(const ir::Graph& graph, const ir::ModulePaths& modules,
                                            const LayoutOptions& options);
/// The same with the caller's phases, by node id index; empty: not folded.
[[nodiscard]] VisibleGraph makeVisibleGraph(const ir::Graph& graph, const ir::ModulePaths& modules,
                                            const std::vector<ir::Phase>& phases,
                                            const LayoutOptions& options);

/// The phases by which a graph is folded, by node id index; empty: not folded.
[[nodiscard]] std::vector<ir::Phase> foldingPhases(const ir::Graph& graph, const LayoutOptions& options);

/// The graph's edges between boxes, merged and without paths. `phases` as for makeVisibleGraph.
[[nodiscard]] std::vector<Edge> mergedEdges(const ir::Graph& graph, const std::vector<BoxId>& boxOfNode,
                                            const std::vector<ir::Phase>& phases);

/// Equal for edges between the same two boxes or nodes, in this direction.
template<typename Id>
[[nodiscard]] std::uint64_t keyOf(Id from, Id to) {
    return (std::uint64_t{from.index()} << 32U) | to.index();
}

/// The group in whose frame a box lies; invalid: none.
[[nodiscard]] GroupId frameOf(const Layout& layout, const Box& box);
/// The groups of all frames around a box, the outermost first.
[[nodiscard]] std::vector<GroupId> framesAround(const Layout& layout, const Box& box);

/// Bytes of the tensors in a node's value; 0: unknown.
[[nodiscard]] std::int64_t nodeBytes(const ir::Graph& graph, ir::NodeId node);

/// Width in points of the box of a node.
[[nodiscard]] double nodeWidth(const ir::Node& node);

} // namespace aotscope::layout
