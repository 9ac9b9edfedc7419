#pragma once

#include "layout/visible_graph.h"

#include "base/progress.h"
#include "base/result.h"

#include <chrono>
#include <stop_token>

namespace aotscope::layout {

/// Positions of the boxes of one half, in its own coordinates, y down. The backward's last node is on top.
struct Placement {
    /// Centers of boxes by box id index; set only for boxes of the half.
    std::vector<Point> centers;
    /// By edge index; empty: `compose` routes the edge.
    std::vector<std::vector<Point>> paths;
};

/// Places a half with Graphviz's dot, which also draws its short edges. Errors: those of base::runChild.
[[nodiscard]] base::Result<Placement> placeWithDot(const VisibleGraph& visible, std::size_t half,
                                                   const std::string& program,
                                                   std::chrono::duration<double> limit,
                                                   const std::stop_token& stop);

/// Places boxes one below the other in program order, inputs beside their first user, in linear time.
[[nodiscard]] Placement placeInProgramOrder(const VisibleGraph& visible, std::size_t half);

/// Puts the halves side by side with partners aligned, routes the remaining edges, and frames groups.
void compose(VisibleGraph& visible, std::vector<Placement> halves);

/// Places and composes: with dot, or in program order if the options exclude dot or dot fails. Errors:
/// session.canceled only.
[[nodiscard]] base::Result<void> placeBoxes(VisibleGraph& visible, const LayoutOptions& options,
                                            base::Progress progress);

/// Boxes of a half at the same height on the page.
struct Row {
    double center = 0;
    double extent = 0;
    double moved = 0;
    std::vector<BoxId> boxes;
};

[[nodiscard]] std::vector<Row> findRows(const VisibleGraph& visible, std::size_t half,
                                        const Placement& placement);

/// Brings rows of the two halves level where boxes have partners, by widening gaps; keeps the order, and no
/// distance shrinks. Both halves have rows.
void alignRows(const VisibleGraph& visible, std::vector<Row>& forward, std::vector<Row>& backward);

/// The new y of an old y: shifted inside a row, stretched between rows.
[[nodiscard]] double movedY(const std::vector<Row>& rows, double y);

/// The path of an edge between the halves: from side to side.
[[nodiscard]] std::vector<Point> across(const Rect& from, const Rect& to);

/// The rectangle around all boxes, frames and paths, with a margin.
[[nodiscard]] Rect boundsOf(const Layout& layout);

} // namespace aotscope::layout
