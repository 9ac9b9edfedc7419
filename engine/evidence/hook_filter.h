#pragma once

#include "evidence/log_evidence.h"

#include "passes/inline_hooks.h"

#include <optional>

namespace aotscope::evidence {

/// Which saved tensors the process's configuration applies hooks to, as logged (`torch._functorch.config`);
/// nothing: no log of it.
[[nodiscard]] std::optional<passes::HookFilter> loggedHookFilter(const LogEvidence& evidence);

} // namespace aotscope::evidence
