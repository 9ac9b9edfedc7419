#pragma once

#include "ir/argument.h"

/// Arguments as torch.utils._pytree sees them: lists, tuples and dictionaries are containers, everything else
/// is a leaf.
namespace aotscope::ir {

[[nodiscard]] bool isContainer(const Argument& argument);
/// The leaves from left to right; of a dictionary those of its values. An argument that is no container is a
/// leaf itself.
[[nodiscard]] Arguments treeLeaves(const Argument& argument);

} // namespace aotscope::ir
