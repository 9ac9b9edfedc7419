#pragma once

#include "layout/category.h"
#include "layout/split_marks.h"

#include "base/progress.h"

#include <span>
#include <string>
#include <vector>

namespace aotscope::layout {

/// The graph as a DOT document of its own (for export and other tools). With `fates` what is computed again
/// and what is saved is marked. Half a document when `progress` says stop.
[[nodiscard]] std::string toDot(const ir::Graph& graph, const ir::ModulePaths& modules,
                                const NodeFates* fates = nullptr, base::Progress progress = {});

/// A laid-out graph as an SVG document that stands alone, in the colours of the window; `categories` by box
/// (boxCategories), `selection` is ringed, and with `marks` what a split saves and computes again is marked
/// as in the window. No Qt needed, so the command line writes it too.
[[nodiscard]] std::string toSvg(const ir::Graph& graph, const Layout& layout,
                                std::span<const Category> categories,
                                const std::vector<ir::NodeId>& selection = {},
                                const SplitMarks* marks = nullptr);

} // namespace aotscope::layout
