#pragma once

#include "session/reference.h"
#include "session/snapshots.h"

#include <optional>
#include <string>
#include <vector>

namespace aotscope::session {

/// A function that an open file holds, and PyTorch's own answer where the file has one.
struct RetraceTarget {
    /// The Dynamo graph, or the pre-dispatch graph of a golden file; nothing: the file has none, as logs of
    /// AOTAutograd called without Dynamo (`aot_function`).
    std::optional<ArtifactReference> program;
    /// The logged joint graph, or inference graph.
    std::optional<ArtifactReference> logged;
    /// The logged ViewAndMutationMeta of a log; a golden file's is found by name.
    std::optional<load::RecordId> metadata;
    /// Of a log; invalid for a file of graphs.
    load::CompileIndex compile = {};
    /// "0/0" of a log, "units/0" of a golden file, else the graph's name.
    std::string name;
    friend bool operator==(const RetraceTarget&, const RetraceTarget&) = default;
};

/// Everything that can be compiled again of an open file, in file order. In a log each Dynamo graph goes with
/// the joint or inference graph that follows it in its compile; in a golden file each unit's `dynamo` graph
/// (else `predispatch`) with its `joint` or `inference`; in another graph file every graph that is no joint
/// graph stands for itself.
[[nodiscard]] std::vector<RetraceTarget> retraceTargets(const LogSnapshot& log);

/// Those of one compile of a log.
[[nodiscard]] std::vector<RetraceTarget> retraceTargets(const LogSnapshot& log, load::CompileIndex compile);
/// Those of the compile that `graph` is of, without a look at the others of the log; of a file of graphs all.
[[nodiscard]] std::vector<RetraceTarget> retraceTargets(const LogSnapshot& log,
                                                        const ArtifactReference& graph);

} // namespace aotscope::session
