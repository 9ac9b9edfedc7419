#pragma once

#include "session/explore/hooks_snapshot.h"
#include "session/explore/joint_input.h"

#include "base/result.h"

namespace aotscope::session {

/// Runs the halves with the hooks of a partition. Errors: session.no_hooks (it has none), those of
/// Backend::measureHooks.
[[nodiscard]] base::Result<HookErrorsSnapshotPtr> measuredHooks(const PartitionSnapshotPtr& split,
                                                                const RunOptions& options, bool eachAlone,
                                                                const PartitionTools& tools);

} // namespace aotscope::session
