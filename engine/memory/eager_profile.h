#pragma once

#include "memory/memory_profile.h"

#include <cstddef>
#include <vector>

namespace aotscope::memory {

/// The memory profile of the training step in eager mode, predicted from the joint graph: the forward nodes
/// in order, then the loss, then the backward in autograd's order. A value lives until its last use, in the
/// backward if it is used there; the user's outputs live until the end of the loss, gradients to the end.
/// Nothing is recomputed, and common subexpressions are not merged. `approximations` lists how eager may
/// still differ. `staticInputs` as in TrainingStepGraphs.
[[nodiscard]] MemoryProfile profileEager(const ir::Graph& joint, std::size_t forwardOutputs,
                                         const std::vector<std::size_t>& staticInputs,
                                         const ProfileOptions& options = {});

} // namespace aotscope::memory
