#include "session/explore/split_fates.h"

namespace aotscope::session {
ir::NodeFates splitFates(const ir::Graph& drawn, const PartitionSnapshot& split) {
    ir::NodeFates fates(drawn.idBound(), ir::NodeFate::Removed);
    const ir::Graph& joint = *split.partition.joint;
    for (const ir::NodeId node : drawn.order()) {
        const auto known = &drawn == &joint ? std::optional(node) : joint.tryFind(drawn.node(node).name);
        if (known) {
            fates[node.index()] = split.partition.report.nodes[known->index()].fate;
        }
    }
    return fates;
}

SplitMarksSnapshotPtr markSplit(const LayoutSnapshotPtr& picture, const PartitionSnapshotPtr& split) {
    const ir::Graph& drawn = *picture->graph->graph;
    auto snapshot = std::make_shared<SplitMarksSnapshot>();
    snapshot->picture = picture;
    snapshot->split = split;
    snapshot->fates = splitFates(drawn, *split);
    snapshot->marks = layout::splitMarks(drawn, *picture->layout, snapshot->fates);
    return snapshot;
}

} // namespace aotscope::session
