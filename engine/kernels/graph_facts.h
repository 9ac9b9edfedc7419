#pragma once

#include "kernels/fusion_plan.h"
#include "kernels/index_expression.h"

#include "ir/op_schema.h"
#include "ir/operators/operator.h"

#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

namespace aotscope::kernels {

/// A Python number.
using Number = std::variant<bool, std::int64_t, double>;
[[nodiscard]] double asDouble(const Number& number);

class GraphFacts;

/// A node's arguments by the names of its operator's schema.
class OpCall {
public:
    OpCall(const GraphFacts& facts, ir::NodeId node);

    [[nodiscard]] const GraphFacts& facts() const { return m_facts; }
    [[nodiscard]] ir::NodeId id() const { return m_id; }
    [[nodiscard]] const ir::Node& node() const { return m_node; }
    [[nodiscard]] const ir::Operator& op() const { return m_operator; }
    /// Null: absent or None; the schema's default applies.
    [[nodiscard]] const ir::Argument* tryArgument(std::string_view name) const;
    [[nodiscard]] bool hasArgument(std::string_view name) const;
    /// The names of the schema's arguments; empty: there is no schema.
    [[nodiscard]] std::vector<std::string_view> names() const;
    /// The tensor's node; nothing: absent, or no tensor.
    [[nodiscard]] std::optional<ir::NodeId> tensor(std::string_view name) const;
    /// Nothing: absent, or unknown before the run.
    [[nodiscard]] std::optional<Number> number(std::string_view name) const;
    [[nodiscard]] std::int64_t integer(std::string_view name, std::int64_t otherwise) const;
    [[nodiscard]] double real(std::string_view name, double otherwise) const;
    [[nodiscard]] bool flag(std::string_view name, bool otherwise) const;
    /// A list of integers, or one integer; nothing: absent, or unknown.
    [[nodiscard]] std::optional<std::vector<std::int64_t>> integers(std::string_view name) const;
    [[nodiscard]] std::optional<ir::DType> dtype(std::string_view name) const;
    [[nodiscard]] std::string string(std::string_view name, std::string_view otherwise) const;
    /// The layout of a tensor argument; null: none is known.
    [[nodiscard]] const TensorLayout* layout(std::string_view name) const;

private:
    const GraphFacts& m_facts;
    ir::NodeId m_id;
    const ir::Node& m_node;
    ir::Operator m_operator;
    const ir::OpSchema* m_schema = nullptr;
};

/// What kernels need to know of a graph: layouts with all numbers known, arguments, schemas.
class GraphFacts {
public:
    GraphFacts(const ir::Graph& graph, const FusionOptions& options);

    [[nodiscard]] const ir::Graph& graph() const { return m_graph; }
    [[nodiscard]] const ir::Node& node(ir::NodeId id) const { return m_graph.node(id); }
    /// Null: no tensor, or its sizes are unknown before the run.
    [[nodiscard]] const TensorLayout* layout(TensorName tensor) const;
    [[nodiscard]] std::optional<Number> number(const ir::Argument& argument) const;
    /// Null: the operator has none.
    [[nodiscard]] const ir::OpSchema* schema(const std::string& target) const;
    /// Whether the value is a number or symbol.
    [[nodiscard]] bool isNumber(ir::NodeId id) const;
    /// For `getitem(node, k)` with a known k.
    [[nodiscard]] std::optional<TensorName> pick(ir::NodeId id) const;

private:
    /// Whether a number depends on elements of tensors, not just on sizes.
    [[nodiscard]] bool isFromData(ir::NodeId id) const;
    void learn(ir::NodeId id);
    void learn(TensorName name, const ir::ValueMeta& value);

    const ir::Graph& m_graph;
    ir::SymbolBindings m_symbols;
    std::map<TensorName, TensorLayout> m_layouts;
    mutable std::unordered_map<std::string, std::shared_ptr<const ir::OpSchema>> m_schemas;
};

} // namespace aotscope::kernels
