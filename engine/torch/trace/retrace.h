#pragma once

#include "session/retrace.h"

#include "base/progress.h"

namespace aotscope::torch {

/// Compiles a function as AOTAutograd does: metadata, choice of path, trace. Errors: trace.unsupported (names
/// the operator or call), trace.input, session.canceled.
[[nodiscard]] base::Result<session::RetraceResult> retrace(const session::RetraceRequest& request,
                                                           base::Progress progress);

} // namespace aotscope::torch
