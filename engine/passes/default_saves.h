#pragma once

#include "passes/joint_program.h"

#include "base/result.h"

#include <vector>

namespace aotscope::passes {

struct DefaultSaves {
    std::vector<Index> tensors;
    std::vector<Index> symbols;
    /// By position: traced in the forward.
    std::vector<bool> isForward;
};

/// What the default partition saves: every value of the forward that the backward reads, of a tensor whose
/// sizes alone are read only those, and what activation checkpointing does not want computed again.
/// Errors: passes.not_joint, passes.not_a_tensor, passes.impure_recompute.
[[nodiscard]] base::Result<DefaultSaves> defaultSaves(const JointProgram& program);

} // namespace aotscope::passes
