#pragma once

#include "layout/category.h"
#include "layout/split_marks.h"

#include <span>
#include <stop_token>
#include <string>

namespace aotscope::cli {

/// What to draw. Everything must outlive the call.
struct Picture {
    const ir::Graph& graph;
    const layout::Layout& layout;
    /// One per box.
    std::span<const layout::Category> categories;
    /// Null: no partition is marked.
    const layout::SplitMarks* marks = nullptr;
};

/// A laid-out graph as PNG, drawn by Graphviz in a child process at the layout's positions and in the
/// window's colors. Throws Failure if Graphviz is missing or fails.
[[nodiscard]] std::string pngOf(const Picture& picture, const std::stop_token& stop);

/// The DOT document with positions that Graphviz draws ("neato -n2").
[[nodiscard]] std::string positionedDot(const Picture& picture);

} // namespace aotscope::cli
