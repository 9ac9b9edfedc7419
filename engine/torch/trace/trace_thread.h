#pragma once

#include "aot/retrace.h"

#include "base/result.h"

#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace aotscope::torch {

/// Runs traces on a thread of their own, so that a caller gets its answer at once when it cancels: the trace
/// then ends in the background. The destructor waits for all traces. Destroy it before `main` returns,
/// because traces use static tables. May be called from any thread.
class TraceThread {
public:
    /// Runs a trace after all earlier ones and waits for its result; session.canceled when `stop` is
    /// requested. `trace` must own what it uses.
    [[nodiscard]] base::Result<aot::RetraceResult>
    run(std::function<base::Result<aot::RetraceResult>()> trace, const std::stop_token& stop);

    /// Waits until all traces, canceled ones included, have ended.
    void finish();

private:
    std::mutex m_mutex;
    /// The last trace; it owns the previous one until that has ended.
    std::jthread m_last;
};

} // namespace aotscope::torch
