#pragma once

#include "session/retrace.h"

#include "base/result.h"

#include <functional>

namespace aotscope::torch {

/// Runs a trace on a thread of its own, and answers session.canceled as soon as the trace has noticed that
/// it is to stop: releasing what was traced, which takes longer than stopping, goes on behind the answer. The
/// next trace waits for that.
[[nodiscard]] base::Result<session::RetraceResult>
traceOnThread(std::function<base::Result<session::RetraceResult>()> trace);

/// Ends the trace that runs on this thread: throws Canceled.
[[noreturn]] void stopTrace();

} // namespace aotscope::torch
