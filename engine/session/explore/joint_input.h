#pragma once

#include "session/explore/partition_metadata.h"
#include "session/explore/partition_snapshot.h"
#include "session/logged_partitions.h"
#include "session/retrace_snapshot.h"
#include "session/snapshots.h"

#include "passes/partition.h"

#include "base/progress.h"
#include "base/result.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace aotscope::session {

/// What splitting a joint graph needs of a session.
struct PartitionTools {
    /// Null when there is no such log.
    std::function<LogSnapshotPtr(std::uint32_t log)> log;
    /// A graph that could be parsed.
    std::function<base::Result<GraphSnapshotPtr>(const ArtifactReference&)> graph;
    /// How a graph was traced here; null when it was not.
    std::function<RetraceSnapshotPtr(const ArtifactReference&)> trace;
    /// Runs a graph for its times, as runForTimes does.
    std::function<base::Result<RunSnapshotPtr>(const GraphSnapshotPtr&)> run;
    base::Progress progress;
};

/// The halves of a joint graph that are in the file.
struct LoggedHalves {
    GraphSnapshotPtr forward;
    GraphSnapshotPtr backward;
    /// As LoggedPartition::partitioner.
    std::string partitioner;
    /// Nothing: none is logged, or it cannot be read.
    std::optional<PartitionMetadata> metadata = {};
};

/// What is known of a joint graph before anybody decides anything.
struct JointInput {
    GraphSnapshotPtr joint;
    /// The log as it was then: a log that has grown is read anew. With it, how the graph was traced, if here.
    LogSnapshotPtr log;
    RetraceSnapshotPtr trace;
    /// Where every choice begins: givenOptions.
    passes::PartitionOptions given;
    /// None where the file has none; of a golden file one for each partitioner.
    std::vector<LoggedHalves> logged;
    /// That of the backend which the log names, else min-cut; another where the logged halves show it.
    passes::Partitioner partitioner = passes::Partitioner::MinCut;
    PartitionerSource partitionerSource = PartitionerSource::Assumed;
    std::vector<std::string> notes;
};
using JointInputPtr = std::shared_ptr<const JointInput>;

/// Errors: session.no_such_log and those of Session::graph; session.not_joint; session.canceled.
[[nodiscard]] base::Result<JointInputPtr> readJointInput(const ArtifactReference& joint,
                                                         const PartitionTools& tools);

/// Where a half that was made here parts from the logged one, by ir::firstDifference; nothing: nowhere.
[[nodiscard]] std::optional<std::string> differingNode(const ir::Graph& made, const ir::Graph& logged);

/// What a joint graph is split with before anybody chooses anything, from what the log tells of its compile:
/// static inputs as found by tracing, else as the inputs' sources, descriptors and descriptions tell; the
/// symbols for sizes of generators' states. `compile` is invalid for a file of graphs.
[[nodiscard]] passes::PartitionOptions givenOptions(const GraphSnapshot& joint, const RetraceSnapshot* trace,
                                                    const LogSnapshot& log, load::CompileIndex compile);

} // namespace aotscope::session
