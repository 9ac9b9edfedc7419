#pragma once

#include "contract/partition_snapshot.h"
#include "judge/answers.h"

#include "base/progress.h"
#include "base/verdict.h"

/// What a comparison of halves with the logged ones says to a person.
namespace aotscope::judge {

/// A partition, up to its hooks, beside the logged halves of the same joint graph. Where a partitioner that
/// is only assumed gives other halves, also the default one is tried.
[[nodiscard]] session::HalvesComparison judgeHalves(const session::PartitionSnapshot& split,
                                                    const LoggedAnswer& logged,
                                                    const base::Progress& progress);

/// Both in one: the first that is not equal. What is saved alone decides if the graphs cannot be compared
/// because Inductor rewrote the joint graph.
[[nodiscard]] base::VerdictWord halvesWord(const base::Verdict& saved, const base::Verdict& graphs,
                                           bool isJointRewritten);

} // namespace aotscope::judge
