#pragma once

#include "contract/snapshots.h"
#include "ir/compare/graph_diff.h"

#include <cstdint>
#include <vector>

namespace aotscope::views {

/// How many of a box's nodes the stage added and changed.
struct StageMark {
    std::uint32_t added = 0;
    std::uint32_t changed = 0;

    [[nodiscard]] bool any() const { return added + changed > 0; }
    /// The more frequent of the two.
    [[nodiscard]] ir::NodeDifference::Kind kind() const {
        return added >= changed ? ir::NodeDifference::Kind::Added : ir::NodeDifference::Kind::Changed;
    }
};

/// One per box. All are zero if the picture shows no stage or the first one.
[[nodiscard]] std::vector<StageMark> stageMarks(const session::LayoutSnapshot& snapshot);

/// What the stage did to a node; null if it left it unchanged.
[[nodiscard]] const ir::NodeDifference* tryDifference(const session::LayoutSnapshot& snapshot,
                                                      ir::NodeId node);

} // namespace aotscope::views
