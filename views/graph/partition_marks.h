#pragma once

#include "session/explore/split_fates.h"

#include <memory>

namespace aotscope::views {

/// What a partition does with the boxes and edges of a scene, as the engine answered (session::MarkSplit).
using PartitionMarks = layout::SplitMarks;
using PartitionMarksPtr = std::shared_ptr<const PartitionMarks>;

/// Null for null.
[[nodiscard]] inline PartitionMarksPtr marksIn(const session::SplitMarksSnapshotPtr& snapshot) {
    return snapshot ? PartitionMarksPtr(snapshot, &snapshot->marks) : nullptr;
}

} // namespace aotscope::views
