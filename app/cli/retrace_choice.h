#pragma once

#include "program.h"
#include "selection.h"

#include "contract/retrace_snapshot.h"
#include "contract/retrace_target.h"

#include <string>

/// What the commands have in common that compile functions of logs again.
namespace aotscope::cli {

/// "mlp.log:0/0"
[[nodiscard]] std::string targetTitle(const TargetChoice& choice, const session::RetraceTarget& target);

/// "joint", "inference" or "export", from the logged graph if there is one, else from the traced one; empty:
/// neither.
[[nodiscard]] std::string graphKind(const session::RetraceSnapshot& run);

/// Throws Failure if nothing can be traced because there is no backend.
void requireBackend(const session::RetraceSnapshot& snapshot);

/// "There is nothing to trace again"
[[nodiscard]] Failure nothingToTrace();

} // namespace aotscope::cli
