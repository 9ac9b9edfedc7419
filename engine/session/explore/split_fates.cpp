#include "session/explore/split_fates.h"

#include <algorithm>
#include <iterator>

namespace aotscope::session {
namespace {

layout::NodeFate drawnFate(passes::NodeFate fate) {
    switch (fate) {
    case passes::NodeFate::Saved:
        return layout::NodeFate::Saved;
    case passes::NodeFate::Recomputed:
        return layout::NodeFate::Recomputed;
    default:
        return layout::NodeFate::Free;
    }
}

layout::NodeFates drawnFates(const std::vector<passes::NodeFate>& fates) {
    layout::NodeFates drawn;
    drawn.reserve(fates.size());
    std::ranges::transform(fates, std::back_inserter(drawn), drawnFate);
    return drawn;
}

} // namespace

std::vector<passes::NodeFate> splitFates(const ir::Graph& drawn, const PartitionSnapshot& split) {
    std::vector<passes::NodeFate> fates(drawn.idBound(), passes::NodeFate::Removed);
    const ir::Graph& joint = *split.partition.joint;
    for (const ir::NodeId node : drawn.order()) {
        const auto known = &drawn == &joint ? std::optional(node) : joint.tryFind(drawn.node(node).name);
        if (known) {
            fates[node.index()] = split.partition.report.nodes[known->index()].fate;
        }
    }
    return fates;
}

layout::NodeFates fatesIn(const ir::Graph& drawn, const PartitionSnapshot& split) {
    return drawnFates(splitFates(drawn, split));
}

SplitMarksSnapshotPtr markSplit(const LayoutSnapshotPtr& picture, const PartitionSnapshotPtr& split) {
    const ir::Graph& drawn = *picture->graph->graph;
    auto snapshot = std::make_shared<SplitMarksSnapshot>();
    snapshot->picture = picture;
    snapshot->split = split;
    snapshot->fates = splitFates(drawn, *split);
    snapshot->marks = layout::splitMarks(drawn, *picture->layout, drawnFates(snapshot->fates));
    return snapshot;
}

} // namespace aotscope::session
