#pragma once

#include "session/explore/split_fates.h"

#include <memory>

namespace aotscope::views {

/// What a split of the joint graph says of a scene; the engine finds it out (session::MarkSplit).
using StepMarks = layout::SplitMarks;
using StepMarksPtr = std::shared_ptr<const StepMarks>;

/// Null: null.
[[nodiscard]] inline StepMarksPtr marksIn(const session::SplitMarksSnapshotPtr& snapshot) {
    return snapshot ? StepMarksPtr(snapshot, &snapshot->marks) : nullptr;
}

} // namespace aotscope::views
