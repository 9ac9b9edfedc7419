#include "run/inputs/row_constraints.h"

#include "run/inputs/meta_view.h"

#include "ir/keywords.h"
#include "ir/operators/operator.h"

#include <algorithm>
#include <map>
#include <optional>

namespace aotscope::torch {

namespace {

using Form = RowLimits::Form;

/// Share `number` of `count` even shares of the rows between the limits.
RowLimits share(const RowLimits& whole, std::size_t number, std::size_t count) {
    const auto at = [&](std::size_t i) {
        return whole.from +
               (whole.to - whole.from) * static_cast<std::int64_t>(i) / static_cast<std::int64_t>(count);
    };
    return {whole.form, at(number), at(number + 1)};
}

/// Adds a requirement for an argument, or for each element of a list.
void ask(std::vector<RowConstraint>& needs, const ir::Argument& argument, const RowLimits& limits) {
    ir::forEachNode(argument, [&](ir::NodeId id) { needs.push_back({id, limits}); });
}

void askSegments(std::vector<RowConstraint>& needs, const ir::Node& node, std::size_t segmented,
                 const OperandView& view) {
    const ir::Argument* named = ir::tryKeyword(node.kwargs, "axis");
    const auto* axis = named == nullptr ? nullptr : named->as<std::int64_t>();
    const auto rows = sizeAlong(view.shape(segmented), axis == nullptr ? 0 : *axis);
    for (const ir::KeywordArgument& keyword : node.kwargs) {
        if (rows && (keyword.name == "lengths" || keyword.name == "offsets")) {
            ask(needs, keyword.value, {keyword.name == "lengths" ? Form::Lengths : Form::Offsets, 0, *rows});
        }
    }
}

/// The terms of a sum, each read from data (`item`) or a constant; `add` returns false for other expressions.
class Summands {
public:
    explicit Summands(const ir::Graph& graph) : m_graph(graph) {}

    bool add(const ir::Argument& argument, int depth = 0) {
        if (const auto* constant = argument.as<std::int64_t>()) {
            m_constant += *constant;
            return true;
        }
        const auto* id = argument.as<ir::NodeId>();
        if (id == nullptr || depth > 64) {
            return false;
        }
        const ir::Node& node = m_graph.node(*id);
        if (node.target == "_operator.add" || node.target == "torch.sym_sum") {
            const ir::Arguments* items = node.args.size() == 1 ? itemsOf(node.args.front()) : &node.args;
            for (const ir::Argument& item : items == nullptr ? ir::Arguments() : *items) {
                if (!add(item, depth + 1)) {
                    return false;
                }
            }
            return items != nullptr;
        }
        const bool isData =
            node.target.starts_with("aten._local_scalar_dense.") || node.target.starts_with("aten.item.");
        const ir::NodeId* from = isData ? firstNode(node) : nullptr;
        if (from == nullptr) {
            return false;
        }
        ++m_numbers[owner(*from)];
        ++m_count;
        return true;
    }

    /// Divides the total evenly among the terms; a tensor gets one share for each of its terms.
    void ask(std::vector<RowConstraint>& needs, std::int64_t total) const {
        std::size_t before = 0;
        const RowLimits whole{Form::Lengths, 0, total - m_constant};
        for (const auto& [tensor, count] : m_numbers) {
            const std::int64_t sum =
                share(whole, before + count - 1, m_count).to - share(whole, before, m_count).from;
            before += count;
            // Elements of the tensor that are not in the sum get the same share.
            const std::int64_t elements = std::max<std::int64_t>(elementsOf(tensor), 1);
            needs.push_back({tensor, {Form::Lengths, 0, sum * elements / static_cast<std::int64_t>(count)}});
        }
    }

private:
    /// `t` of `select(t, 0, i)`: the tensor whose numbers are read one by one.
    [[nodiscard]] ir::NodeId owner(ir::NodeId number) const {
        const ir::Node& node = m_graph.node(number);
        const ir::NodeId* from = node.target.starts_with("aten.select.") ? firstNode(node) : nullptr;
        return from == nullptr ? number : *from;
    }
    [[nodiscard]] std::int64_t elementsOf(ir::NodeId tensor) const {
        const ir::TensorMeta* meta = ir::asTensor(m_graph.node(tensor).value);
        std::int64_t elements = 1;
        for (const ir::SymInt& size : meta == nullptr ? std::vector<ir::SymInt>() : meta->shape) {
            elements *= size.isSymbolic() ? 1 : size.integer();
        }
        return elements;
    }

    const ir::Graph& m_graph;
    std::int64_t m_constant = 0;
    std::size_t m_count = 0;
    std::map<ir::NodeId, std::size_t> m_numbers;
};

/// `_assert_scalar(u0 + u1 == 8)`
void askOfAssertion(std::vector<RowConstraint>& needs, const ir::Graph& graph, const ir::Node& node) {
    const ir::NodeId* asserted = firstNode(node);
    if (asserted == nullptr) {
        return;
    }
    const ir::Node& relation = graph.node(*asserted);
    const auto* total = relation.args.size() == 2 ? relation.args[1].as<std::int64_t>() : nullptr;
    if (relation.target != "_operator.eq" || total == nullptr) {
        return;
    }
    Summands summands(graph);
    if (summands.add(relation.args.front())) {
        summands.ask(needs, *total);
    }
}

/// `split(x, [u0, u1])`
void askOfSplit(std::vector<RowConstraint>& needs, const ir::Graph& graph, const ir::Node& node,
                const OperandView& view) {
    const ir::Arguments* sizes = node.args.size() < 2 ? nullptr : itemsOf(node.args[1]);
    if (sizes == nullptr) {
        return;
    }
    const auto total = sizeAlong(view.shape(0), node.args.size() > 2 ? view.integer(2).value_or(0) : 0);
    Summands summands(graph);
    for (const ir::Argument& size : *sizes) {
        if (!summands.add(size)) {
            return;
        }
    }
    if (total) {
        summands.ask(needs, *total);
    }
}

/// `offsets` of `slice(offsets, 0, 1) - slice(offsets, 0, 0, -1)`.
std::optional<ir::NodeId> differencesOf(const ir::Graph& graph, const ir::Node& node) {
    std::optional<ir::NodeId> of;
    for (const ir::Argument& argument : node.args) {
        const auto* side = argument.as<ir::NodeId>();
        const ir::Node* slice = side == nullptr ? nullptr : &graph.node(*side);
        const ir::NodeId* from =
            slice != nullptr && slice->target.starts_with("aten.slice.") ? firstNode(*slice) : nullptr;
        if (from == nullptr || (of && *of != *from)) {
            return std::nullopt;
        }
        of = *from;
    }
    return of;
}

} // namespace

std::vector<RowConstraint> rowConstraints(const ir::Graph& graph, const ir::Node& node,
                                          const OperandView& view) {
    std::vector<RowConstraint> needs;
    const ir::Operator op(node.target);
    if (const auto& rule = op->rowOffsets) {
        const auto rows = view.shape(rule->rows);
        if (rows && !rows->empty() && rule->offsets < node.args.size()) {
            ask(needs, node.args[rule->offsets], {Form::Offsets, 0, rows->front()});
        }
    }
    if (op->segmented) {
        askSegments(needs, node, *op->segmented, view);
    } else if (op.is(ir::Trait::AssertsScalar)) {
        askOfAssertion(needs, graph, node);
    } else if (op->view == ir::ViewMap::Split) {
        askOfSplit(needs, graph, node, view);
    }
    return needs;
}

std::vector<RowConstraint> rowConstraintsOfArguments(const ir::Graph& graph, const ir::Node& node,
                                                     const RowLimits& result) {
    std::vector<RowConstraint> needs;
    const ir::Arguments* pieces = ir::Operator(node.target).is(ir::Trait::Joins) && !node.args.empty()
                                      ? itemsOf(node.args.front())
                                      : nullptr;
    if (pieces != nullptr) {
        for (std::size_t i = 0; i < pieces->size(); ++i) {
            ask(needs, (*pieces)[i], share(result, i, pieces->size()));
        }
    } else if (node.target.starts_with("aten.cumsum.") && result.form == Form::Offsets &&
               !node.args.empty()) {
        ask(needs, node.args.front(), {Form::Lengths, 0, result.to});
    } else if (node.target.starts_with("aten.sub.") && result.form == Form::Lengths) {
        if (const auto offsets = differencesOf(graph, node)) {
            needs.push_back({*offsets, {Form::Offsets, 0, result.to}});
        }
    }
    return needs;
}

} // namespace aotscope::torch
