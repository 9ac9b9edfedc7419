#pragma once

#include "run/inputs/index_operands.h"
#include "run/state/run_context.h"

#include "ir/graph.h"

namespace aotscope::torch {

/// An argument of a node, or an element of a list argument; null when there is none.
[[nodiscard]] const ir::Argument* argumentAt(const ir::Node& node, std::size_t argument,
                                             std::optional<std::size_t> element = std::nullopt);

/// The node that is a node's first argument; null: there is none, or it is no node.
[[nodiscard]] inline const ir::NodeId* firstNode(const ir::Node& node) {
    return node.args.empty() ? nullptr : node.args.front().as<ir::NodeId>();
}

/// The arguments of a node as the graph's metadata describes them.
class MetaView final : public OperandView {
public:
    MetaView(const ir::Graph& graph, const ir::Node& node, const RunContext& context)
        : m_graph(graph), m_node(node), m_context(context) {}

    [[nodiscard]] std::optional<std::size_t> listSize(std::size_t argument) const override;
    [[nodiscard]] std::optional<std::vector<std::int64_t>>
    shape(std::size_t argument, std::optional<std::size_t> element) const override;
    /// The shape of the node's result.
    [[nodiscard]] std::optional<std::vector<std::int64_t>> resultShape() const;
    [[nodiscard]] bool isMask(std::size_t argument, std::optional<std::size_t> element) const override;
    [[nodiscard]] std::optional<std::int64_t> integer(std::size_t argument) const override;
    [[nodiscard]] std::optional<std::vector<std::int64_t>> integers(std::size_t argument) const override;

private:
    [[nodiscard]] std::optional<std::int64_t> integerOf(const ir::Argument& argument) const;
    [[nodiscard]] std::optional<std::vector<std::int64_t>> sizesOf(const ir::TensorMeta* meta) const;
    [[nodiscard]] const ir::TensorMeta* tensorAt(std::size_t argument,
                                                 std::optional<std::size_t> element) const;

    const ir::Graph& m_graph;
    const ir::Node& m_node;
    const RunContext& m_context;
};

} // namespace aotscope::torch
