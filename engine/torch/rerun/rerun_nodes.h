#pragma once

#include "session/rerun_request.h"

#include "base/progress.h"
#include "base/result.h"

namespace aotscope::torch {

/// Implements Backend::rerun. All failures are returned as errors.
[[nodiscard]] base::Result<session::RerunResult> rerunNodes(const session::RerunRequest& request,
                                                            base::Progress progress);

} // namespace aotscope::torch
