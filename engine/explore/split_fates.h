#pragma once

#include "contract/partition_snapshot.h"
#include "explore/joint_input.h"

#include "layout/split_marks.h"

#include <memory>

namespace aotscope::session {

/// What a partition does with each node of a drawn graph: the joint graph or a half. Nodes are matched by
/// name with the joint graph. What is saved is the partition's own list, with the bytes of the Saved panel
/// and, where hooks pack it, with what is stored.
[[nodiscard]] layout::SplitFacts splitFacts(const ir::Graph& drawn, const PartitionSnapshot& split);

/// A picture of a joint graph or a half, marked with what a partition does.
struct SplitMarksSnapshot {
    /// Never null, and has a layout.
    LayoutSnapshotPtr picture;
    /// Null: the joint graph could not be split here, and the marks are those of the logged halves.
    PartitionSnapshotPtr split;
    PartitionChoices choices;
    layout::SplitFacts facts;
    layout::SplitMarks marks;
};
using SplitMarksSnapshotPtr = std::shared_ptr<const SplitMarksSnapshot>;

[[nodiscard]] SplitMarksSnapshotPtr markSplit(const LayoutSnapshotPtr& picture,
                                              const PartitionSnapshotPtr& split);
/// Null if no halves are logged.
[[nodiscard]] SplitMarksSnapshotPtr tryMarkLogged(const LayoutSnapshotPtr& picture, const JointInput& input,
                                                  const PartitionChoices& choices);

} // namespace aotscope::session
