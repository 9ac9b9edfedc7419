#pragma once

#include "ir/graph.h"

namespace aotscope::passes {

/// Makes tensors of the symbolic floats that pointwise operators take (tensorify_python_scalars), as PyTorch
/// does before it splits a joint graph: floats that changed between calls are inputs of no dimension, and no
/// half saves a Python number. What nothing uses any more goes. Gives `joint` itself where it has no such
/// float. A float that another operator takes, too, stays: PyTorch puts the number it was in its place, which
/// a graph does not tell.
[[nodiscard]] ir::GraphPtr tensorifyFloats(const ir::GraphPtr& joint);

} // namespace aotscope::passes
