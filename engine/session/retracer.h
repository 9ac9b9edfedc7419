#pragma once

#include "session/retrace_request.h"
#include "session/retrace_snapshot.h"

#include "base/result.h"

#include <functional>
#include <set>
#include <stop_token>
#include <string>

namespace aotscope::session {

/// What compiling again needs of a session.
struct RetraceTools {
    /// Null when there is no such log.
    std::function<LogSnapshotPtr(std::uint32_t log)> log;
    /// A graph that could be parsed.
    std::function<base::Result<GraphSnapshotPtr>(const ArtifactReference&)> graph;
    /// Opens the backend on first use; the name is for progress.
    std::function<base::Result<aot::RetraceResult>(const aot::RetraceRequest&, const std::string& name)>
        trace;
    /// As operatorNames.
    std::function<std::set<std::string, std::less<>>()> knownOperators;
    evidence::EarlierCheckpoints& checkpoints;
    std::stop_token stop = {};
};

/// Compiles one function again and compares with PyTorch's graph and metadata where they are logged. What
/// cannot be traced is told in the snapshot; the only error is session.canceled.
[[nodiscard]] base::Result<RetraceSnapshotPtr> retraceTarget(std::uint32_t log, const RetraceTarget& target,
                                                             const RetraceOptions& options,
                                                             const RetraceTools& tools);

/// Where the graph of a pause of that target is found: "paused 3 joint".
[[nodiscard]] ArtifactReference pausedReference(std::uint32_t log, const RetraceTarget& target,
                                                std::uint64_t number);

} // namespace aotscope::session
