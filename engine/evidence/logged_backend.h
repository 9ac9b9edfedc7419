#pragma once

#include "aot/retrace.h"
#include "evidence/log_evidence.h"

namespace aotscope::evidence {

/// What a log shows of a compile's backend.
struct LoggedBackend {
    /// It is Inductor or imitates it, as its records or its configuration show. A log does not name any other
    /// backend.
    bool isInductor = false;
    /// Only an option that the process may have set shows it (LoggedConfig::untold).
    bool isAssumed = false;
    aot::DecompositionTable table = aot::DecompositionTable::None;
    /// It is Inductor itself, which rewrites the joint graph before it is partitioned.
    bool rewritesJointGraph = false;
    /// AOTAutograd keeps input mutations in the graph for this backend.
    bool keepsInputMutations = true;
};

/// Inductor leaves artifacts with each compile and changes a setting of AOTAutograd;
/// `aot_eager_decomp_partition` changes the same setting. For every other backend no decompositions are
/// assumed, because a log does not show them.
[[nodiscard]] LoggedBackend loggedBackend(const LogEvidence& evidence);

} // namespace aotscope::evidence
