#pragma once

#include "layout/layout.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace aotscope::layout {

/// What a split of a joint graph does with a node's value.
enum class NodeFate : std::uint8_t {
    /// Neither: it is not needed by the backward, or made there.
    Free,
    Saved,
    Recomputed,
};
/// By node id index of the graph that is drawn, the joint graph or one of its halves.
using NodeFates = std::vector<NodeFate>;

/// What a split says of a picture, whatever its colours: which boxes the backward computes again, and what
/// the edges across really carry.
struct SplitMarks {
    /// By box: it holds a node that is computed again.
    std::vector<bool> recomputed;
    /// By edge, for saved edges: bytes of what is saved among the values that flow along; nothing: the
    /// backward computes them again, from other saved values.
    std::vector<std::optional<std::int64_t>> carried;
    std::size_t recomputedBoxes = 0;
    std::size_t carriedEdges = 0;
    std::size_t emptyEdges = 0;
};

/// Of the band that a saved edge is drawn as: it grows with the logarithm of the bytes, 2 at a KiB, 12 at a
/// GiB.
[[nodiscard]] double bandWidth(std::int64_t bytes);

[[nodiscard]] SplitMarks splitMarks(const ir::Graph& graph, const Layout& layout, const NodeFates& fates);

} // namespace aotscope::layout
