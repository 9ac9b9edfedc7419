#pragma once

#include "contract/retrace_options.h"
#include "contract/retrace_snapshot.h"
#include "evidence/earlier_checkpoints.h"
#include "recompile/cached_retrace.h"

#include "aot/saved_tensors_hooks.h"

#include "base/result.h"

#include <functional>
#include <set>
#include <stop_token>
#include <string>

namespace aotscope::session {

/// What a re-trace needs from a session.
struct RetraceTools {
    /// Null for an unknown log.
    std::function<LogSnapshotPtr(std::uint32_t log)> log;
    /// A parsed graph; its parse error otherwise.
    std::function<base::Result<GraphSnapshotPtr>(const ArtifactReference&)> graph;
    /// Traces with the backend, which is opened on first use. The name is shown in progress.
    std::function<base::Result<aot::RetraceResult>(const aot::RetraceRequest&, const std::string& name)>
        trace;
    /// Traces saved-tensors hooks of the compile: never with pauses or from the cache.
    aot::TraceProgram traceHook;
    /// Asks the cache of compiled functions first; `trace` is the function above.
    std::function<CachedResult(const aot::RetraceRequest&, const TraceWork& trace)> cached = {};
    /// Names of the backend's operators, like operatorNames.
    std::function<base::Result<std::set<std::string, std::less<>>>()> knownOperators;
    evidence::EarlierCheckpoints& checkpoints;
    std::stop_token stop = {};
};

/// Compiles one function again and compares the graph and metadata with PyTorch's if they are logged. A
/// failed trace is described in the snapshot; the only error is session.canceled.
[[nodiscard]] base::Result<RetraceSnapshotPtr> retraceTarget(std::uint32_t log, const RetraceTarget& target,
                                                             const RetraceOptions& options,
                                                             const RetraceTools& tools);

/// The name of the partial graph at a pause: "paused 3 joint".
[[nodiscard]] ArtifactReference pausedReference(std::uint32_t log, const RetraceTarget& target,
                                                std::uint64_t number);

} // namespace aotscope::session
