#pragma once

#include "contract/hooks_snapshot.h"
#include "explore/joint_input.h"

#include "base/result.h"

#include <functional>

namespace aotscope::session {

/// Takes what is measured earlier than all of it.
using HookErrorsSink = std::function<void(HookErrorsSnapshotPtr)>;

/// Runs the halves with the hooks of a partition. `onPart` may be empty. Errors: session.no_hooks (it has
/// none), those of HookErrorsCall.
[[nodiscard]] base::Result<HookErrorsSnapshotPtr> measuredHooks(const PartitionSnapshotPtr& split,
                                                                const RunOptions& options, bool eachAlone,
                                                                const PartitionTools& tools,
                                                                const HookErrorsSink& onPart = {});

} // namespace aotscope::session
