#pragma once

#include "kernels/fusion_plan.h"

#include <map>
#include <string>

namespace aotscope::kernels {

/// The names of nodes, each with the name of a fused kernel.
using KernelOfNode = std::map<std::string, std::string>;

/// The kernel that a person who goes through the graph in program order is in at each node: that of the
/// node's group, and of nodes that launch nothing (views, numbers) between two of a group, too. Other nodes
/// are left out. A kernel whose nodes do not follow each other in the graph has several such stretches.
[[nodiscard]] KernelOfNode kernelsOfNodes(const ir::Graph& graph, const FusionPlan& plan);

} // namespace aotscope::kernels
