#pragma once

#include "contract/partition_snapshot.h"
#include "explore/joint_input.h"
#include "judge/halves_verdict.h"

#include "base/progress.h"

namespace aotscope::session {

/// A partition beside the logged halves of the same joint graph.
[[nodiscard]] judge::HalvesVerdict compareWithLogged(const PartitionSnapshot& split, const JointInput& input,
                                                     const LoggedHalves& logged,
                                                     const base::Progress& progress);

} // namespace aotscope::session
