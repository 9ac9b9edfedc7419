#pragma once

#include "contract/call_options.h"
#include "contract/retrace_snapshot.h"
#include "contract/retrace_target.h"

#include "aot/cache_outcome.h"
#include "aot/compiled_function.h"
#include "steps/call_record.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace aotscope::session {

/// A compiled function and what happened when it was called.
struct CallSnapshot {
    std::uint32_t log = 0;
    RetraceTarget target;
    /// The trace of the function; without a `result` nothing was called.
    RetraceSnapshotPtr retraced;
    /// What the cache of compiled functions did for the partition of the traced joint graph; nothing: the
    /// call did not use it. For the trace, `retraced` says it.
    std::optional<aot::CacheOutcome> partitionCache = {};
    /// The function that was called, with its partition and all its wrappers, which `record` counts.
    /// Null: nothing was called.
    std::shared_ptr<const aot::CompiledFunction> function;
    /// With the reason if nothing was called.
    steps::CallRecordPtr record;
    /// What its program and its halves show by themselves; no notes.
    std::vector<passes::GraphWarning> warnings = {};
    /// "LibTorch 2.11.0 (CPU)"
    std::string backend;
};
using CallSnapshotPtr = std::shared_ptr<const CallSnapshot>;

} // namespace aotscope::session
