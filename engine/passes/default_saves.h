#pragma once

#include "passes/joint_program.h"

#include "base/result.h"

#include <vector>

namespace aotscope::passes {

struct DefaultSaves {
    std::vector<Index> tensors;
    std::vector<Index> symbols;
    /// By position: whether the node was traced in the forward.
    std::vector<bool> isForward;
};

/// What the default partition saves: every forward value that the backward reads, unless activation
/// checkpointing recomputes it. Of a tensor whose sizes alone are read, only the sizes are saved. Follows
/// torch 2.11, torch/_functorch/partitioners.py: default_partition. Errors: passes.not_a_tensor,
/// passes.impure_recompute.
[[nodiscard]] base::Result<DefaultSaves> defaultSaves(const JointProgram& program,
                                                      const PartitionOptions& options);

/// Whether a value is a condition that assertions alone read (_is_assert_only_symbool in torch 2.15).
[[nodiscard]] bool isOnlyAsserted(const JointProgram& program, Index i);

} // namespace aotscope::passes
