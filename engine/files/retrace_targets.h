#pragma once

#include "contract/retrace_target.h"
#include "contract/snapshots.h"

#include <cstdint>
#include <string>
#include <vector>

/// What of an open file can be traced again.
namespace aotscope::session {

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
