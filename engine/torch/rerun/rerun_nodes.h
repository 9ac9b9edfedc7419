#pragma once

#include "rerun/kept_values.h"

#include "contract/rerun_request.h"

#include "base/progress.h"
#include "base/result.h"

namespace aotscope::torch {

/// Answers RerunRequest. What a kernel's nodes had in the run is taken from `kept`, or put there. All
/// failures are returned as errors.
[[nodiscard]] base::Result<session::RerunResult> rerunNodes(const session::RerunRequest& request,
                                                            KeptValues& kept, base::Progress progress);

} // namespace aotscope::torch
