#pragma once

#include "session/explore/partition_snapshot.h"

#include "layout/split_marks.h"

#include <memory>
#include <vector>

namespace aotscope::session {

/// What a partition does with each node of a drawn graph, by node id index. Nodes are matched by name with
/// the joint graph; a node without a match is `Removed`.
[[nodiscard]] ir::NodeFates splitFates(const ir::Graph& drawn, const PartitionSnapshot& split);

/// A picture of a joint graph or a half, marked with what a partition does.
struct SplitMarksSnapshot {
    /// Never null, and has a layout.
    LayoutSnapshotPtr picture;
    PartitionSnapshotPtr split;
    /// From splitFates.
    ir::NodeFates fates;
    layout::SplitMarks marks;
};
using SplitMarksSnapshotPtr = std::shared_ptr<const SplitMarksSnapshot>;

[[nodiscard]] SplitMarksSnapshotPtr markSplit(const LayoutSnapshotPtr& picture,
                                              const PartitionSnapshotPtr& split);

} // namespace aotscope::session
