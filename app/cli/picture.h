#pragma once

#include "ir/graph.h"
#include "layout/split_marks.h"

#include <stop_token>
#include <string>

namespace aotscope::cli {

/// A laid-out graph as a PNG, drawn by Graphviz in a child process at the places the layout gives. Throws
/// Failure when Graphviz is not installed or fails. Null `marks`: no split is marked.
[[nodiscard]] std::string pngOf(const ir::Graph& graph, const layout::Layout& layout,
                                const layout::SplitMarks* marks, const std::stop_token& stop);

/// The DOT document with positions that is drawn ("neato -n2").
[[nodiscard]] std::string positionedDot(const ir::Graph& graph, const layout::Layout& layout,
                                        const layout::SplitMarks* marks);

} // namespace aotscope::cli
