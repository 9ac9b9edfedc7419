#pragma once

#include "contract/backend.h"
#include "steps/call_record.h"
#include "steps/step_pause.h"

#include "base/progress.h"
#include "base/result.h"

namespace aotscope::torch {

/// Answers FunctionCall: the compiled function through its wrappers, beside its program in eager mode.
[[nodiscard]] base::Result<steps::CallRecord> callCompiled(const session::CallRequest& request,
                                                           const steps::StepPauses& pauses,
                                                           const base::Progress& progress);

} // namespace aotscope::torch
