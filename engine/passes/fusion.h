#pragma once

#include "passes/joint_program.h"

namespace aotscope::passes {

/// Follows torch 2.11, torch/_functorch/partitioners.py: solve_min_cut, whose inner functions is_fusible and
/// is_materialized these are.

/// Whether `user` can be computed in one kernel with its input `node`.
[[nodiscard]] bool isFusible(const JointProgram& program, Index node, Index user);

/// Whether the node's value is written to memory anyway: it is an input, or a user cannot be fused with it.
[[nodiscard]] bool isMaterialized(const JointProgram& program, Index node);

} // namespace aotscope::passes
