#pragma once

#include "contract/partition_snapshot.h"
#include "contract/snapshots.h"
#include "explore/joint_input.h"

#include "base/progress.h"
#include "base/result.h"
#include "passes/pass_run.h"

namespace aotscope::session {

/// Options for predicting the halves' memory with these choices. Symbols without an example value count as
/// the partitioner counts them by `rules` in `forward`, which has what the program asserts of them.
[[nodiscard]] memory::ProfileOptions profileOptions(const PartitionChoices& choices, const ir::Graph& forward,
                                                    const passes::PartitionRules& rules);

/// The predicted memory of a training step with these halves.
[[nodiscard]] MemoryProfilePtr predictedMemory(const passes::Partition& partition,
                                               const std::vector<std::size_t>& staticInputs,
                                               const PartitionChoices& choices);

/// Dynamo's source of each input of a half. Inputs are matched by name with the joint graph.
[[nodiscard]] std::vector<std::string> halfSources(const GraphSnapshot& joint, const ir::Graph& half);

/// Measured times in milliseconds.
using RuntimeProfilePtr = std::shared_ptr<const passes::NodeRuntimes>;
[[nodiscard]] RuntimeProfilePtr runtimeProfile(const RunSnapshot& run);

/// Where the partitioner is from with these choices.
[[nodiscard]] PartitionerSource partitionerSourceOf(const JointInput& input, const PartitionChoices& choices);

/// Partitioner options for these choices. `runtimes`, which may be null, is read if the choices need it.
/// Errors: session.choices_need_min_cut, aot.config_option.
[[nodiscard]] base::Result<passes::PartitionOptions>
partitionOptions(const JointInput& input, const PartitionChoices& choices, const RuntimeProfilePtr& runtimes);

/// Partitions, compares with the logged halves, predicts memory and finds the reasons. `before`, an earlier
/// partition of the same input or null, supplies what does not depend on the choices. `traceHook` traces
/// saved-tensors hooks of what these choices save. Errors: those of partitionOptions
/// and aot::compile.
[[nodiscard]] base::Result<PartitionSnapshotPtr>
partitionByChoices(const JointInput& input, const PartitionChoices& choices,
                   const RuntimeProfilePtr& runtimes, const PartitionSnapshotPtr& before,
                   const aot::TraceProgram& traceHook, const base::Progress& progress);

/// One partition per budget, evenly spaced from 0 to 1.
[[nodiscard]] base::Result<BudgetSweepSnapshotPtr> sweepBudgets(const JointInput& input,
                                                                const PartitionChoices& choices,
                                                                const RuntimeProfilePtr& runtimes,
                                                                std::size_t steps, base::Progress progress);

/// Runs the passes of a partition again for an observer. Hooks are inlined as they were traced for the
/// snapshot. Errors: those of passes::partitionJointGraph and passes::inlineHooks; session.canceled.
[[nodiscard]] base::Result<void> watchPasses(const PartitionSnapshot& split,
                                             const passes::PassObserver& observer,
                                             base::Progress progress = {});

} // namespace aotscope::session
