#pragma once

#include "layout/visible_graph.h"

#include "base/progress.h"
#include "base/result.h"

#include <chrono>
#include <stop_token>

namespace aotscope::layout {

/// Where the boxes of one half lie, in coordinates of its own, y down. The backward half runs upwards: what
/// is computed last is on top.
struct Placement {
    /// By box id index; only those of the half are set. Centers, not corners.
    std::vector<Point> centers;
    /// By edge index; empty: to be routed later.
    std::vector<std::vector<Point>> paths;
};

/// Graphviz places a half, and draws those of its edges that are short.
[[nodiscard]] base::Result<Placement> placeWithDot(const VisibleGraph& visible, std::size_t half,
                                                   const std::string& program,
                                                   std::chrono::duration<double> limit,
                                                   const std::stop_token& stop);

/// One box below the other in program order, inputs beside their first user. Linear in boxes and edges.
[[nodiscard]] Placement placeInProgramOrder(const VisibleGraph& visible, std::size_t half);

/// Puts the halves side by side, level where they belong together, routes what is left, and frames groups.
void compose(VisibleGraph& visible, std::vector<Placement> halves);

/// All of it: by dot, or in program order where the options or dot itself stand against it. Errors:
/// session.canceled only.
[[nodiscard]] base::Result<void> placeBoxes(VisibleGraph& visible, const LayoutOptions& options,
                                            base::Progress progress);

/// What holds every box, frame and path, with a margin.
[[nodiscard]] Rect boundsOf(const Layout& layout);

} // namespace aotscope::layout
