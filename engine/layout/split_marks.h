#pragma once

#include "layout/layout.h"

#include "ir/node_fate.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace aotscope::layout {

/// How a partition marks a picture: the boxes that the backward recomputes, and what saved edges carry.
struct SplitMarks {
    /// By box: whether a node in it is recomputed.
    std::vector<bool> recomputed;
    /// By edge, for saved edges: bytes of the values along it that are saved; nothing: the backward
    /// recomputes all of them from other saved values.
    std::vector<std::optional<std::int64_t>> carried;
    std::size_t recomputedBoxes = 0;
    std::size_t carriedEdges = 0;
    std::size_t emptyEdges = 0;
};

/// Width in points of a saved edge's band, logarithmic in the bytes: 2 for 1 KiB, 12 for 1 GiB.
[[nodiscard]] double bandWidth(std::int64_t bytes);

[[nodiscard]] SplitMarks splitMarks(const ir::Graph& graph, const Layout& layout, const ir::NodeFates& fates);

} // namespace aotscope::layout
