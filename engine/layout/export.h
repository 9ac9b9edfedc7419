#pragma once

#include "layout/category.h"
#include "layout/split_marks.h"

#include "base/progress.h"

#include <span>
#include <string>
#include <vector>

namespace aotscope::layout {

/// The graph as a DOT document for other tools. With `split`, what is saved is a wide edge to
/// each backward node that needs it, with its bytes, and recomputed values are marked. The
/// document is incomplete if a stop is requested of `progress`.
[[nodiscard]] std::string toDot(const ir::Graph& graph, const ir::ModulePaths& modules,
                                const SplitFacts* split = nullptr, base::Progress progress = {});

/// A laid-out graph as a self-contained SVG document in the window's colours. `categories` are by box
/// (boxCategories); nodes of `selection` get a ring; with `marks`, saved and recomputed values are marked as
/// in the window. Does not need Qt, so that the command line can use it.
[[nodiscard]] std::string toSvg(const ir::Graph& graph, const Layout& layout,
                                std::span<const Category> categories,
                                const std::vector<ir::NodeId>& selection = {},
                                const SplitMarks* marks = nullptr);

} // namespace aotscope::layout
