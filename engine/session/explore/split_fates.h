#pragma once

#include "session/explore/partition_snapshot.h"

#include "layout/split_marks.h"

#include <memory>
#include <vector>

namespace aotscope::session {

/// What a partition does with the nodes of a graph that is drawn, which it knows by the names in its
/// joint graph. By node id index; `Removed` where it does not know the node.
[[nodiscard]] std::vector<passes::NodeFate> splitFates(const ir::Graph& drawn,
                                                       const PartitionSnapshot& split);

/// The same, as far as a picture tells it.
[[nodiscard]] layout::NodeFates fatesIn(const ir::Graph& drawn, const PartitionSnapshot& split);

/// What a partition says of a picture of its joint graph or of one of the halves.
struct SplitMarksSnapshot {
    /// Never null, and laid out.
    LayoutSnapshotPtr picture;
    PartitionSnapshotPtr split;
    /// As splitFates.
    std::vector<passes::NodeFate> fates;
    layout::SplitMarks marks;
};
using SplitMarksSnapshotPtr = std::shared_ptr<const SplitMarksSnapshot>;

[[nodiscard]] SplitMarksSnapshotPtr markSplit(const LayoutSnapshotPtr& picture,
                                              const PartitionSnapshotPtr& split);

} // namespace aotscope::session
