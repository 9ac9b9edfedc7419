#pragma once

#include "session/snapshots.h"

#include <optional>
#include <vector>

namespace aotscope::views {

/// One line of two programs set side by side; an invalid id on the side that lacks the node.
struct AlignedRow {
    ir::NodeId left;
    ir::NodeId right;
    /// Index into the diff's differences; nothing: the same.
    std::optional<std::size_t> difference;
};

/// Both programs in order, matched nodes on one line. A node that moved stands at its place in the right
/// program.
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
