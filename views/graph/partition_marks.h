#pragma once

#include "session/explore/split_fates.h"

#include <memory>

namespace aotscope::views {

/// What a split of the joint graph says of a scene; the engine finds it out (session::MarkSplit).
using PartitionMarks = layout::SplitMarks;
using PartitionMarksPtr = std::shared_ptr<const PartitionMarks>;

/// Null: null.
[[nodiscard]] inline PartitionMarksPtr marksIn(const session::SplitMarksSnapshotPtr& snapshot) {
    return snapshot ? PartitionMarksPtr(snapshot, &snapshot->marks) : nullptr;
}

} // namespace aotscope::views
