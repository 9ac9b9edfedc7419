#pragma once

#include "contract/call_snapshot.h"
#include "contract/requests.h"
#include "explore/joint_input.h"
#include "recompile/cached_retrace.h"
#include "recompile/retracer.h"

#include "base/result.h"

#include <functional>
#include <string>

namespace aotscope::session {

/// What a call needs from a session.
struct CallTools {
    RetraceTools retrace;
    /// For the partition of the traced joint graph.
    PartitionTools partition;
    /// Asks the cache of compiled functions for the partition, as `retrace.cached` does for the trace.
    std::function<CachedSplit(const aot::CompiledFunction& traced, const aot::CompileChoices&,
                              const CompileWork& compile)>
        cachedSplit = {};
    /// Stores and sends the trace before anything is called, so that a person who stands at a pause sees its
    /// graphs.
    std::function<void(const RetraceSnapshotPtr&)> traced;
    /// Calls the finished compile; sets the backend's description.
    std::function<base::Result<steps::CallRecord>(const CallRequest&, const std::string& name,
                                                  std::string& description)>
        call;
};

/// Traces, partitions and calls; with RetraceOptions::cache, trace and partition are taken from the cache of
/// compiled functions if they are there, and put there otherwise. A trace or call that fails is described in
/// the snapshot; the only error is session.canceled.
[[nodiscard]] base::Result<CallSnapshotPtr> callCompiled(const CallCompiled& command, const CallTools& tools);

/// Makes inputs that the function writes to under autograd non-leaves, as they must be in eager mode: it
/// refuses to write to a leaf that requires grad. Golden files do not say which inputs are leaves. Returns
/// whether any was changed; the function must then be traced again.
[[nodiscard]] bool correctLeaves(const aot::CompiledFunction& function, aot::RetraceRequest& request);

} // namespace aotscope::session
