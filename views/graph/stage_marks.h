#pragma once

#include "ir/compare/graph_diff.h"
#include "session/snapshots.h"

#include <cstdint>
#include <vector>

namespace aotscope::views {

/// How many nodes of a box its stage added to the one before, and changed.
struct StageMark {
    std::uint32_t added = 0;
    std::uint32_t changed = 0;

    [[nodiscard]] bool any() const { return added + changed > 0; }
    /// What there is most of.
    [[nodiscard]] ir::NodeDifference::Kind kind() const {
        return added >= changed ? ir::NodeDifference::Kind::Added : ir::NodeDifference::Kind::Changed;
    }
};

/// By box. A picture that shows no stage, or the first, has none marked.
[[nodiscard]] std::vector<StageMark> stageMarks(const session::LayoutSnapshot& snapshot);

/// What the stage did to a node; null where it left it as it was.
[[nodiscard]] const ir::NodeDifference* tryDifference(const session::LayoutSnapshot& snapshot,
                                                      ir::NodeId node);

} // namespace aotscope::views
