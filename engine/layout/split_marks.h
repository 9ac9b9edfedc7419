#pragma once

#include "layout/layout.h"
#include "layout/saved_values.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace aotscope::layout {

/// The saved values that go from one box to another.
struct Band {
    BoxId from;
    BoxId to;
    /// Indices in SplitMarks::saved.
    std::vector<std::uint32_t> saved;
    std::int64_t bytes = 0;
    /// Bytes that are stored, if hooks pack a value along it.
    std::optional<std::int64_t> stored = {};
    /// As Edge::path.
    std::vector<Point> path = {};
};

/// How an edge of the layout looks beside the bands.
enum class EdgeMark : std::uint8_t {
    /// A data edge.
    Plain,
    /// A band is in its place.
    Banded,
    /// From forward to backward, and nothing along it is saved: the backward computes it again.
    Again,
};

/// How a partition marks a picture: what is saved, and what the backward computes again.
struct SplitMarks {
    std::vector<SavedValue> saved;
    std::int64_t savedBytes = 0;
    /// Nothing: no hook packs any.
    std::optional<std::int64_t> storedBytes = {};
    std::size_t recomputedNodes = 0;
    /// By box: how many saved values are in it, and whether a node in it is recomputed.
    std::vector<std::uint32_t> savedIn;
    std::vector<bool> recomputed;
    /// By edge of the layout.
    std::vector<EdgeMark> edges;
    /// Values along the edges marked `Again`.
    std::size_t againValues = 0;
    /// Largest first. Every saved value that a backward node needs is in one, unless both ends are in one
    /// box.
    std::vector<Band> bands;
};

/// Width in points of a band, logarithmic in the bytes: 2 for 1 KiB, 12 for 1 GiB.
[[nodiscard]] double bandWidth(std::int64_t bytes);

[[nodiscard]] SplitMarks splitMarks(const ir::Graph& graph, const Layout& layout, const SplitFacts& facts);

} // namespace aotscope::layout
