#pragma once

#include "session/retrace.h"

#include "base/result.h"

#include <functional>
#include <stop_token>

namespace aotscope::torch {

/// Runs a trace on a thread of its own, after those that were begun before it. When it is to stop, the answer
/// is session.canceled at once: noticing that and releasing what was traced go on behind it. `trace` owns what
/// it needs.
[[nodiscard]] base::Result<session::RetraceResult>
traceOnThread(std::function<base::Result<session::RetraceResult>()> trace, const std::stop_token& stop);

} // namespace aotscope::torch
