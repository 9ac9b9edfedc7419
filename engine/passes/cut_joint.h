#pragma once

#include "passes/pass_manager.h"

namespace aotscope::passes {

/// Chooses what the forward saves, extracts both halves, and notes in the report why. The min-cut
/// partitioner falls back to the default one in a graph without gradients. Follows torch 2.11,
/// torch/_functorch/partitioners.py: default_partition and min_cut_rematerialization_partition. Errors: those
/// of partitionJointGraph.
[[nodiscard]] base::Result<Splitting> cutJoint(Splitting split);

/// What remains of the joint graph as flat arrays, which refer to `split`'s graph and lists.
[[nodiscard]] std::shared_ptr<JointProgram> programOf(const Splitting& split);

} // namespace aotscope::passes
