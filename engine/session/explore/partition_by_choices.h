#pragma once

#include "session/explore/joint_input.h"
#include "session/explore/partition_snapshot.h"
#include "session/explore/runtime_profile.h"

#include "base/progress.h"
#include "base/result.h"

namespace aotscope::session {

/// How the memory of halves is predicted with these choices.
[[nodiscard]] memory::ProfileOptions profileOptions(const PartitionChoices& choices);

/// The name of a half of a joint graph that was split here: "forward of joint".
[[nodiscard]] ArtifactReference forwardReference(const ArtifactReference& joint);
[[nodiscard]] ArtifactReference backwardReference(const ArtifactReference& joint);

/// Dynamo's source of each input of a half, which has its inputs' names from the joint graph.
[[nodiscard]] std::vector<std::string> halfSources(const GraphSnapshot& joint, const ir::Graph& half);

/// How a joint graph is split with these choices. `runtimes` are asked for when the choices say so, and are
/// never null then. Errors: session.choices_need_min_cut.
[[nodiscard]] base::Result<passes::PartitionOptions>
partitionOptions(const JointInput& input, const PartitionChoices& choices, const RuntimeProfilePtr& runtimes);

/// Splits, compares with the logged halves, predicts the memory, and says why. `before` is an earlier
/// partition of the same input or null: what does not depend on the choices is taken from it. Errors: those
/// of partitionOptions and passes::partitionJointGraph.
[[nodiscard]] base::Result<PartitionSnapshotPtr> partitionByChoices(const JointInput& input,
                                                                    const PartitionChoices& choices,
                                                                    const RuntimeProfilePtr& runtimes,
                                                                    const PartitionSnapshotPtr& before,
                                                                    const base::Progress& progress);

/// One split per budget, evenly from 0 to 1.
[[nodiscard]] base::Result<BudgetSweepSnapshotPtr> sweepBudgets(const JointInput& input,
                                                                const PartitionChoices& choices,
                                                                const RuntimeProfilePtr& runtimes,
                                                                std::size_t steps, base::Progress progress);

} // namespace aotscope::session
