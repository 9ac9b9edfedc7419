#pragma once

#include "passes/partition_rules.h"

#include "ir/graph.h"

namespace aotscope::passes {

/// Replaces the symbolic floats that pointwise operators take by 0-dimensional tensors, so that neither half
/// saves a Python number, and removes the nodes that become dead. Returns `joint` itself if it has no such
/// float. A float that other operators take stays: PyTorch specializes it to its value, which the graph does
/// not contain. Follows torch 2.11 and 2.15, torch/fx/passes/_tensorify_python_scalars.py:
/// tensorify_python_scalars.
[[nodiscard]] ir::GraphPtr tensorifyFloats(const ir::GraphPtr& joint, const PartitionRules& rules);

} // namespace aotscope::passes
