#pragma once

#include "session/explore/joint_input.h"
#include "session/explore/partition_snapshot.h"

#include "base/verdict.h"

/// The verdicts on halves computed here beside the logged ones.
namespace aotscope::session {

/// Sets `split.savedVerdict` and `split.graphsVerdict` from the halves and `split.differences`.
void judgeHalves(PartitionSnapshot& split, const JointInput& input, const LoggedHalves& logged);

/// Both in one: the first that differs; equal if what is saved is equal and the graphs are, or cannot be
/// compared.
[[nodiscard]] base::VerdictWord halvesWord(const PartitionSnapshot& split);

} // namespace aotscope::session
