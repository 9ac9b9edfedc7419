#pragma once

#include "ir/graph.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace aotscope::ir {

/// For whom a graph is printed.
enum class PrintMode {
    /// As PyTorch prints it (print_readable with strides, devices and descriptors, per the graph's style).
    PyTorch,
    /// The same without the comments that say where nodes are from.
    WithoutSources,
    /// Names replaced by position, no comments and no deletions: equal text means an equal program.
    Canonical,
};

struct PrintedGraph {
    std::string text;
    /// 0-based line of each node by node id index (of the top graph); -1: not printed.
    std::vector<int> lineOfNode;
    /// The reverse: node of each line, invalid where a line belongs to none.
    std::vector<NodeId> nodeOfLine;
};

[[nodiscard]] PrintedGraph printGraph(const Graph& graph, PrintMode mode = PrintMode::PyTorch);

/// One argument as Python would write it (`torch.float32`, `[%s, None]`, `device(type='cpu')`).
[[nodiscard]] std::string argumentText(const Graph& graph, const Argument& argument);
/// The right-hand side of a node's line: `torch.ops.aten.mm.default(x, w)`.
[[nodiscard]] std::string callText(const Graph& graph, NodeId id);

} // namespace aotscope::ir
