#pragma once

#include "aot/retrace.h"
#include "evidence/log_evidence.h"

namespace aotscope::evidence {

/// What a log tells of the backend that a compile was for.
struct LoggedBackend {
    /// It is Inductor, or stands in for it: its records or its configuration are there. No log names the
    /// others.
    bool isInductor = false;
    aot::DecompositionTable table = aot::DecompositionTable::None;
    /// It has AOTAutograd write inputs back within the graph.
    bool keepsInputMutations = true;
};

/// Inductor leaves artifacts of its own with each compile, and a setting of AOTAutograd, which
/// `aot_eager_decomp_partition` has as well; the others decompose nothing as a rule, and where they do the
/// log does not say.
[[nodiscard]] LoggedBackend loggedBackend(const LogEvidence& evidence);

} // namespace aotscope::evidence
