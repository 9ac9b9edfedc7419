#pragma once

#include "session/reference.h"
#include "session/snapshots.h"

#include <optional>
#include <string>
#include <vector>

namespace aotscope::session {

/// A function in an open file, and PyTorch's graph for it if the file has one.
struct RetraceTarget {
    /// Dynamo's graph, or a golden file's pre-dispatch graph. Nothing if the file has none, for example in
    /// logs of AOTAutograd without Dynamo (`aot_function`).
    std::optional<ArtifactReference> program;
    /// PyTorch's joint or inference graph.
    std::optional<ArtifactReference> logged;
    /// The record of the logged ViewAndMutationMeta; in a golden file it is found by name.
    std::optional<load::RecordId> metadata;
    /// Set for a log; invalid for a graph file.
    load::CompileIndex compile = {};
    /// "0/0" in a log, "units/0" in a golden file, else the graph's name.
    std::string name;
    /// The record of the logged code of the wrappers (torch 2.15).
    std::optional<load::RecordId> wrapperSources = {};
    friend bool operator==(const RetraceTarget&, const RetraceTarget&) = default;
};

/// Everything in an open file that can be re-traced, in file order. In a log each Dynamo graph is paired with
/// the next joint or inference graph of its compile. In a golden file each unit's `dynamo` graph (else
/// `predispatch`) is paired with its `joint` or `inference`. In other graph files every graph except joint
/// graphs is a separate target.
[[nodiscard]] std::vector<RetraceTarget> retraceTargets(const LogSnapshot& log);

/// The targets of one compile of a log.
[[nodiscard]] std::vector<RetraceTarget> retraceTargets(const LogSnapshot& log, load::CompileIndex compile);
/// The targets of the compile that `graph` belongs to, without scanning the rest of the log; for a graph file
/// all targets.
[[nodiscard]] std::vector<RetraceTarget> retraceTargets(const LogSnapshot& log,
                                                        const ArtifactReference& graph);

/// The name of a graph that belongs to a target: that of its logged graph, else of its program, with a
/// prefix.
[[nodiscard]] ArtifactReference besideTarget(std::uint32_t log, const RetraceTarget& target,
                                             const std::string& prefix);

} // namespace aotscope::session
