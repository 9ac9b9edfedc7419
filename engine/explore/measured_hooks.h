#pragma once

#include "contract/hooks_snapshot.h"
#include "contract/requests.h"
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

/// Partitions the command's joint graph with other choices.
using SplitByChoices = std::function<base::Result<PartitionSnapshotPtr>(const PartitionChoices&)>;

/// Measures each candidate hook for each saved tensor alone, orders them by error for each byte that they
/// save, and takes them in this order until the goal is reached. What is taken is measured again with all of
/// it together: the errors of hooks do not simply add up. Errors: those of `split` and of
/// HookErrorsCall; hooks.unknown; session.no_goal; session.no_hooks (no candidate fits any tensor).
[[nodiscard]] base::Result<HookSuggestionSnapshotPtr>
suggestHooks(const SuggestHooks& command, const PartitionTools& tools, const SplitByChoices& split);

} // namespace aotscope::session
