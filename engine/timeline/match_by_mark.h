#pragma once

#include "timeline/node_match.h"

namespace aotscope::timeline {

/// The range around a node, as profiled runs of this program call it.
inline constexpr std::string_view nodeMark = "node ";

/// Adds the nodes whose ranges are marked: "node addmm_1" by this program; "## 12 ##" inside "## FILE.py ##"
/// by torch.fx, where the number is the node's position in the graph and the file stands for the graph.
/// Follows torch 2.15, torch/fx/graph.py: CodeGen._gen_python_code, and torch/fx/graph_module.py: recompile.
void matchByMarks(const Timeline& timeline, NodeMatches& matches);

} // namespace aotscope::timeline
