#pragma once

#include "contract/partition_snapshot.h"

#include "base/progress.h"
#include "base/result.h"
#include "passes/pass_run.h"

namespace aotscope::session {

/// Runs the passes of a partition again for an observer. Hooks are inlined as they were traced for the
/// snapshot. Errors: those of passes::partitionJointGraph and passes::inlineHooks; session.canceled.
[[nodiscard]] base::Result<void> watchPasses(const PartitionSnapshot& split,
                                             const passes::PassObserver& observer,
                                             base::Progress progress = {});

} // namespace aotscope::session
