#pragma once

#include "program.h"

#include "session/retrace_snapshot.h"
#include "session/retrace_target.h"

#include <string>
#include <vector>

/// What the commands have in common that compile functions of logs again.
namespace aotscope::cli {

/// A log and its targets.
struct RetraceChoice {
    session::LogSnapshotPtr log;
    std::vector<session::RetraceTarget> targets;
};

/// The compiles of `id` (in a golden file a unit's name); of everything if it is empty. Throws a usage
/// failure that lists the candidates if there is no such compile.
[[nodiscard]] std::vector<RetraceChoice> retraceChoices(const std::vector<session::LogSnapshotPtr>& logs,
                                                        const std::string& id);

/// "mlp.log:0/0"
[[nodiscard]] std::string titleOf(const RetraceChoice& choice, const session::RetraceTarget& target);

/// "joint", "inference" or "export", from the logged graph if there is one, else from the traced one; empty:
/// neither.
[[nodiscard]] std::string graphKind(const session::RetraceSnapshot& run);

/// Throws Failure if nothing can be traced because there is no backend.
void requireBackend(const session::RetraceSnapshot& snapshot);

/// "There is nothing to trace again"
[[nodiscard]] Failure nothingToTrace();

} // namespace aotscope::cli
