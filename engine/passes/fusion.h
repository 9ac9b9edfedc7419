#pragma once

#include "passes/joint_program.h"

namespace aotscope::passes {

/// Whether `user` can be computed in one kernel with `node`, its input (is_fusible inside solve_min_cut).
[[nodiscard]] bool isFusible(const JointProgram& program, Index node, Index user);

/// Whether the node's value is written to memory anyway: an input, or read by something it cannot fuse with.
[[nodiscard]] bool isMaterialized(const JointProgram& program, Index node);

} // namespace aotscope::passes
