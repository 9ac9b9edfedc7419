#pragma once

#include "aot/retrace.h"

#include "base/result.h"

#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace aotscope::torch {

/// The thread that traces run on, so that who waits for one is answered at once when it is to stop: noticing
/// that and releasing what was traced go on behind the answer. Its end waits for them; it must end before
/// `main` does, since a trace uses tables that end with the program. May be called from any thread.
class TraceThread {
public:
    /// Runs a trace after those that were begun before it. When it is to stop, the answer is
    /// session.canceled. `trace` owns what it needs.
    [[nodiscard]] base::Result<aot::RetraceResult>
    run(std::function<base::Result<aot::RetraceResult>()> trace, const std::stop_token& stop);

    /// Returns when every trace that was begun, canceled ones included, has ended.
    void finish();

private:
    std::mutex m_mutex;
    /// The trace begun last; it holds the one before it until that has ended.
    std::jthread m_last;
};

} // namespace aotscope::torch
