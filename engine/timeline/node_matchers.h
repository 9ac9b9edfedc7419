#pragma once

#include "timeline/node_match.h"

/// The ways to find a node's events. Each adds what it finds.
namespace aotscope::timeline {

/// The range around a node, as profiled runs of this program call it.
inline constexpr std::string_view nodeMark = "node ";

/// The nodes whose ranges are marked: "node addmm_1" by this program; "## 12 ##" inside "## FILE.py ##" by
/// torch.fx, where the number is the node's position in the graph and the file stands for the graph. Follows
/// torch 2.15, torch/fx/graph.py: CodeGen._gen_python_code, and torch/fx/graph_module.py: recompile.
void matchByMarks(const Timeline& timeline, NodeMatches& matches);

/// The nodes whose operators were called in the order of a graph, one after the other inside one event (where
/// a graph runs node by node: backend "aot_eager", or eager mode).
void matchByOrder(const Timeline& timeline, NodeMatches& matches);

/// The nodes of fused kernels: those that `kernelNodes` names, and for other kernels those whose operators
/// their names list, where that leaves no choice: the graph has the operator once, or as often as there are
/// kernels that list it, which then follow in the order of their numbers.
void matchByKernelNames(const Timeline& timeline, const KernelNodes& kernelNodes, NodeMatches& matches);

} // namespace aotscope::timeline
