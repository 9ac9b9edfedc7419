#pragma once

#include "contract/snapshots.h"

#include <optional>
#include <vector>

namespace aotscope::views {

/// One line of two graphs side by side. On the side without the node the id is invalid.
struct AlignedRow {
    ir::NodeId left;
    ir::NodeId right;
    /// Index into the diff's differences; nothing if the nodes are equal.
    std::optional<std::size_t> difference;
};

/// The nodes of both graphs in order, matched ones in one row. A moved node is in its place in the right
/// graph.
[[nodiscard]] std::vector<AlignedRow> alignRows(const session::DiffSnapshot& diff);

/// How many differences of each kind there are.
struct DifferenceCounts {
    std::size_t added = 0;
    std::size_t removed = 0;
    std::size_t changed = 0;
    std::size_t moved = 0;
    std::size_t renamed = 0;
};
[[nodiscard]] DifferenceCounts countDifferences(const ir::GraphDiff& diff);

} // namespace aotscope::views
