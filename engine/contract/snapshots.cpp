#include "contract/log_snapshot.h"
#include "contract/partition_snapshot.h"
#include "contract/retrace_snapshot.h"

#include <algorithm>

namespace aotscope::session {

std::string partitionerName(passes::Partitioner partitioner) {
    return partitioner == passes::Partitioner::Default ? "default" : "min-cut";
}

std::span<const load::Compile> LogSnapshot::compiles() const {
    static const std::vector<load::Compile> ofGraphFile(1);
    if (traceLog()) {
        return traceLog()->compiles();
    }
    return timeline() ? std::span<const load::Compile>() : ofGraphFile;
}

const load::ArtifactList& LogSnapshot::artifacts(load::CompileIndex compile) const {
    return traceLog() ? traceLog()->artifacts(compile) : contentAs<GraphFile>().artifacts;
}

std::optional<load::CompileIndex> LogSnapshot::tryFindCompile(const ArtifactReference& reference) const {
    if (traceLog()) {
        return traceLog()->tryFindCompile(reference.compile, reference.rank);
    }
    return timeline() ? std::nullopt : std::optional(load::CompileIndex(0));
}

std::optional<std::int32_t> LogSnapshot::rank() const {
    return traceLog() ? traceLog()->rank() : std::nullopt;
}

std::string titleOf(const LogSnapshotPtr& log, const ArtifactReference& reference) {
    std::string title = log ? log->path.filename().string() + ":" : std::string();
    title += idText(reference) + ":" + reference.artifact;
    for (const std::string& part : reference.subgraph) {
        title += "/" + part;
    }
    return title;
}

std::string partitionerText(const PartitionSnapshot& split) {
    const bool isAssumed = split.partitionerSource == PartitionerSource::Assumed;
    return (isAssumed ? "assumed " : "") + partitionerName(split.options.partitioner);
}

std::string partitionerLine(passes::Partitioner partitioner, PartitionerSource source) {
    return "partitioner = " + partitionerName(partitioner) + " (" + std::string(base::wordOf(source)) + ")";
}

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
