#pragma once

#include "session/hook_errors.h"

#include "base/progress.h"
#include "base/result.h"

namespace aotscope::torch {

/// Implements Backend::measureHooks. Without hooks the backward runs once, and its values are kept if there
/// is memory for them; a hook then computes again only what its tensor reaches.
[[nodiscard]] base::Result<session::HookErrors> measureHooks(const session::HookErrorsRequest& request,
                                                             base::Progress progress);

} // namespace aotscope::torch
