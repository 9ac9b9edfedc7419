#pragma once

#include "evidence/log_evidence.h"

#include "passes/program_warnings.h"

#include <string_view>
#include <vector>

namespace aotscope::evidence {

/// The classes derived from torch.autograd.Function among the guards, with the line that applies each first.
/// Dynamo guards their `forward` whether it records a call of the Function or traces into it.
[[nodiscard]] std::vector<passes::GuardedFunction> functionsInGuards(std::string_view guards);

/// Those of a Dynamo graph: from the first guards after it.
[[nodiscard]] std::vector<passes::GuardedFunction> guardedFunctions(const LogEvidence& evidence);

} // namespace aotscope::evidence
