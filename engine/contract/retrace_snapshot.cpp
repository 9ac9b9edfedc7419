#include "contract/retrace_snapshot.h"

#include <algorithm>

namespace aotscope::session {

std::optional<std::size_t> stageOf(const RetraceSnapshot& retraced, const ArtifactReference& graph) {
    const auto found = std::ranges::find_if(retraced.stages, [&](const RetraceStage& stage) {
        return stage.graph && stage.graph->reference == graph;
    });
    return found == retraced.stages.end()
               ? std::nullopt
               : std::optional(static_cast<std::size_t>(found - retraced.stages.begin()));
}

ir::NodeId nodeInStage(const RetraceSnapshot& retraced, std::size_t from, ir::NodeId node, std::size_t to) {
    // Each diff compares with the previous stage that has a graph, so stages without a graph are skipped.
    for (std::size_t stage = from; stage > to && node.valid(); --stage) {
        const RetraceStage& at = retraced.stages[stage];
        node = at.diff ? at.diff->partnerOfRight[node.index()] : node;
    }
    for (std::size_t stage = from + 1; stage <= to && node.valid(); ++stage) {
        const RetraceStage& at = retraced.stages[stage];
        node = at.diff ? at.diff->partnerOfLeft[node.index()] : node;
    }
    return node;
}

bool hasNothingToCompare(const RetraceSnapshot& snapshot) {
    return snapshot.made && !snapshot.logged;
}

} // namespace aotscope::session
