#pragma once

#include "session/explore/joint_input.h"
#include "session/explore/partition_snapshot.h"

#include "base/progress.h"
#include "base/verdict.h"

/// What a comparison of halves made here with the logged ones says to a person.
namespace aotscope::session {

/// Sets `split.savedVerdict` and `split.graphsVerdict` from the halves and `split.differences`. Where an
/// assumed partitioner gives other halves, also the default one is tried.
void judgeHalves(PartitionSnapshot& split, const JointInput& input, const LoggedHalves& logged,
                 const base::Progress& progress);

/// Both in one: the first that is not equal. What is saved alone decides if the graphs cannot be compared
/// because Inductor rewrote the joint graph.
[[nodiscard]] base::VerdictWord halvesWord(const PartitionSnapshot& split);

} // namespace aotscope::session
