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

} // namespace aotscope::layout
