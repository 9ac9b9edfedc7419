#pragma once

#include "wrappers/run_time_hooks.h"

#include "aot/versions/trace_rules.h"

#include <string_view>

namespace aotscope::torch {

/// Hooks written as text (hooks/hook_text.h), called on real tensors as Python calls its hooks: without
/// autograd, operator by operator. Throws RunFailure for a text that is none.
[[nodiscard]] PackHook packHook(std::string_view text, const aot::TraceRules& rules);

} // namespace aotscope::torch
