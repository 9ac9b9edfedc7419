#pragma once

#include "ir/graph.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace aotscope::inductor {

/// The number of elements of a buffer or value, also with symbols: the product of the integers, and the other
/// factors sorted. Two shapes with equal sizes may hold the same values.
struct ElementCount {
    std::int64_t integers = 1;
    std::vector<std::string> symbols;
    friend bool operator==(const ElementCount&, const ElementCount&) = default;
};
/// The count for a shape as the wrapper writes it: "(8, s0)".
[[nodiscard]] ElementCount countOf(std::string_view shape);
[[nodiscard]] ElementCount countOf(const ir::TensorMeta& tensor);

/// Facts about a graph's nodes for linking. By node id index.
class GraphFacts {
public:
    explicit GraphFacts(ir::GraphPtr graph);

    [[nodiscard]] const ir::Graph& graph() const { return *m_graph; }
    /// The node whose memory a view shows; the node itself if it is none.
    [[nodiscard]] ir::NodeId root(ir::NodeId node) const { return m_roots[node.index()]; }
    [[nodiscard]] bool isView(ir::NodeId node) const { return m_views[node.index()]; }
    /// An element of an operator's several results.
    [[nodiscard]] bool isElement(ir::NodeId node) const;
    /// The operator of whose several results it takes one, also if that is a view; nothing: it takes none.
    [[nodiscard]] std::optional<ir::NodeId> elementOf(ir::NodeId node) const;
    /// A size or another value that is no tensor.
    [[nodiscard]] bool isSize(ir::NodeId node) const;
    /// A reduction: it has fewer elements than a tensor it reads.
    [[nodiscard]] bool reduces(ir::NodeId node) const;
    [[nodiscard]] bool isComputed(ir::NodeId node) const {
        return m_graph->node(node).op == ir::Opcode::CallFunction;
    }
    /// The values the graph returns, in order; without a node where it returns None or a constant.
    [[nodiscard]] const std::vector<std::optional<ir::NodeId>>& returned() const { return m_returned; }
    /// The tensors that a call reads, in the order of its arguments and with repeats; not what it only
    /// writes.
    [[nodiscard]] std::vector<ir::NodeId> tensorInputs(ir::NodeId node) const;

private:
    ir::GraphPtr m_graph;
    std::vector<ir::NodeId> m_roots;
    std::vector<bool> m_views;
    std::vector<std::optional<ir::NodeId>> m_returned;
};

/// "mm" of "aten.mm.default", "extern_kernels.mm" and "torch.ops.aten.mm.default"; "sort" of
/// "aten.sort.stable".
[[nodiscard]] std::string_view operatorName(std::string_view target);
/// Whether a call of the wrapper runs the operator of a node's target.
[[nodiscard]] bool callsOperator(std::string_view callee, std::string_view target);

} // namespace aotscope::inductor
