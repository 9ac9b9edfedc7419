#pragma once

#include "aot/cache_outcome.h"
#include "aot/compile.h"
#include "aot/retrace.h"

#include "base/result.h"

#include <functional>

namespace aotscope::cache {
class FunctionCache;
struct CompileEnvironment;
} // namespace aotscope::cache

namespace aotscope::session {

/// The result of the work or of its cache entry, and what the cache did for it.
template<typename T>
struct Cached {
    base::Result<T> result;
    aot::CacheOutcome outcome;
};
/// A traced compile.
using CachedResult = Cached<aot::RetraceResult>;
/// A partitioned compile.
using CachedSplit = Cached<aot::CompiledFunction>;

using TraceWork = std::function<base::Result<aot::RetraceResult>()>;
using CompileWork = std::function<base::Result<aot::CompiledFunction>()>;

/// Takes the compile of a request from the cache, else calls `trace` and stores what it gives. What cannot be
/// cached is traced (cache::bypassReason); a failed trace is not stored. A found compile is equal to what the
/// trace would give: its program is the request's, and its symbols have the request's values.
[[nodiscard]] CachedResult cachedRetrace(cache::FunctionCache& cache, const aot::RetraceRequest& request,
                                         const cache::CompileEnvironment& environment,
                                         const TraceWork& trace);

/// The same for the partition of a traced joint graph and its hooks by these choices, which `compile` makes.
/// The entry holds forward and backward with their keys.
[[nodiscard]] CachedSplit cachedSplit(cache::FunctionCache& cache, const aot::CompiledFunction& traced,
                                      const aot::CompileChoices& choices,
                                      cache::CompileEnvironment environment, const CompileWork& compile);

} // namespace aotscope::session
