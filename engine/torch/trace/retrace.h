#pragma once

#include "aot/retrace.h"
#include "session/trace_pause.h"

#include "base/progress.h"

namespace aotscope::torch {

class TraceThread;

/// Compiles a function as AOTAutograd does: metadata, choice of path, trace. It runs on `thread`, or on the
/// caller's after the traces there when it is to pause. Errors: trace.unsupported (names the operator or
/// call), trace.input, session.canceled.
[[nodiscard]] base::Result<aot::RetraceResult> retrace(const aot::RetraceRequest& request,
                                                       const session::TracePauses& pauses,
                                                       base::Progress progress, TraceThread& thread);

} // namespace aotscope::torch
