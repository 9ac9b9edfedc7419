#pragma once

#include "memory/memory_profile.h"

#include <cstddef>
#include <vector>

namespace aotscope::memory {

/// The step as eager runs it: the joint graph uncut. Forward nodes in order, then the loss, then the backward
/// in autograd's order; a value made by the forward that the backward reads is kept until its last use there,
/// every other until its last use, the user's outputs through the loss, gradients to the end. Nothing is
/// computed again and equal expressions are not merged. `approximations` says in what eager may still be
/// different. `joint` is frozen; static inputs are positions among its inputs, as in TrainingStepGraphs.
[[nodiscard]] MemoryProfile profileEager(const ir::Graph& joint, std::size_t forwardOutputs,
                                         const std::vector<std::size_t>& staticInputs,
                                         const ProfileOptions& options = {});

} // namespace aotscope::memory
