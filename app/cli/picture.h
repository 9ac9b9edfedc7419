#pragma once

#include "layout/category.h"
#include "layout/split_marks.h"

#include <span>
#include <stop_token>
#include <string>

namespace aotscope::cli {

/// What is drawn; all of it outlives the call.
struct Picture {
    const ir::Graph& graph;
    const layout::Layout& layout;
    /// By box.
    std::span<const layout::Category> categories;
    /// Null: no split is marked.
    const layout::SplitMarks* marks = nullptr;
};

/// A laid-out graph as a PNG, drawn by Graphviz in a child process at the places the layout gives, in the
/// colours of the window. Throws Failure when Graphviz is not installed or fails.
[[nodiscard]] std::string pngOf(const Picture& picture, const std::stop_token& stop);

/// The DOT document with positions that is drawn ("neato -n2").
[[nodiscard]] std::string positionedDot(const Picture& picture);

} // namespace aotscope::cli
