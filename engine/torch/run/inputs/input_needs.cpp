#include "run/inputs/input_needs.h"

#include "dispatch/dtypes.h"
#include "run/inputs/meta_view.h"

#include "ir/bodies.h"
#include "ir/higher_order.h"
#include "ir/keywords.h"
#include "ir/operator_name.h"
#include "ir/operators/operator.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string_view>

namespace aotscope::torch {

namespace {

using Needs = std::vector<ValueNeeds>;

template<typename Number>
void lower(std::optional<Number>& bound, const std::optional<Number>& to) {
    if (to) {
        bound = bound ? std::min(*bound, *to) : *to;
    }
}

/// The number that an argument is.
std::optional<double> numberIn(const ir::Argument& argument) {
    const auto* integer = argument.as<std::int64_t>();
    const auto* number = argument.as<double>();
    return integer != nullptr  ? std::optional(static_cast<double>(*integer))
           : number != nullptr ? std::optional(*number)
                               : std::nullopt;
}

class Propagation {
public:
    Propagation(const ir::Graph& graph, const RunContext& context, int depth)
        : m_graph(graph), m_context(context), m_depth(depth), m_needs(graph.idBound()) {}

    Needs run() {
        const auto order = m_graph.order();
        for (std::size_t i = order.size(); i-- > 0;) {
            const ir::Node& node = m_graph.node(order[i]);
            if (node.op == ir::Opcode::CallFunction || node.op == ir::Opcode::CallMethod) {
                demand(node);
                passOn(node, m_needs[order[i].index()]);
            }
        }
        return std::move(m_needs);
    }

private:
    /// Adds to what is required of an argument; null, and those that are no nodes, are left out.
    void require(const ir::Argument* argument, const ValueNeeds& asked) {
        if (const auto* node = argument == nullptr ? nullptr : argument->as<ir::NodeId>()) {
            addNeeds(m_needs[node->index()], asked);
        }
    }

    /// Adds the operator's own requirements to its arguments.
    void demand(const ir::Node& node) {
        const MetaView view(m_graph, node, m_context);
        for (const IndexOperand& operand : indexOperands(node.target, view)) {
            require(argumentAt(node, operand.argument, operand.element),
                    {.below = operand.below, .least = operand.least});
        }
        const std::string_view name = ir::functionName(node.target);
        const ir::OperatorRow& known = ir::operatorNamed(name);
        ask(node, known.facts.nonNegative, {.positive = true});
        ask(node, known.facts.probabilities, {.probability = true});
        ask(node, known.facts.nonZero, {.least = 1});
        if (ir::isHigherOrder(node.target, ir::HigherOrder::RunWithRngState)) {
            require(argumentAt(node, 0), {.generatorState = true});
        }
        for (const RowConstraint& need : rowConstraints(m_graph, node, view)) {
            addNeeds(m_needs[need.node.index()], {.rows = need.limits});
        }
        demandOfMask(node, name, view);
        demandOfMaskedRows(node, known, view);
        demandOfAssertion(node, name);
        demandOfRange(node, name);
        if ((name == "_assert_async" || name == "_functional_assert_async") && !node.args.empty()) {
            demandTruth(node.args.front(), 0);
        }
        demandOfSubgraphs(node);
    }

    void ask(const ir::Node& node, ir::Positions positions, const ValueNeeds& asked) {
        for (std::size_t at = 0; positions >> at != 0; ++at) {
            if ((positions >> at) % 2 == 1) {
                require(argumentAt(node, at), asked);
            }
        }
    }

    /// masked_scatter fills the true elements of a mask from a source, which must have at least as many
    /// elements.
    void demandOfMask(const ir::Node& node, std::string_view name, const OperandView& view) {
        if (name != "masked_scatter" && name != "masked_scatter_") {
            return;
        }
        const auto source = productOf(view.shape(2));
        const auto mask = productOf(view.shape(1));
        const auto whole = productOf(view.shape(0));
        if (source && mask && whole && *whole > 0) {
            require(argumentAt(node, 1), {.mostTrue = *source * *mask / std::max(*mask, *whole)});
        }
    }

    /// index_put with a mask writes one row for each true element.
    void demandOfMaskedRows(const ir::Node& node, const ir::OperatorRow& known, const OperandView& view) {
        const auto values = known.is(ir::Trait::PutsElements) && view.listSize(1) == 1 && view.isMask(1, 0)
                                ? view.shape(2)
                                : std::nullopt;
        if (values && !values->empty() && values->front() != 1) {
            require(argumentAt(node, 1, 0), {.mostTrue = values->front(), .exactlyTrue = true});
        }
    }

    /// `_assert_scalar(u0 <= 4)`: bounds a number that is read from data.
    void demandOfAssertion(const ir::Node& node, std::string_view name) {
        const ir::NodeId* asserted = name == "_assert_scalar" ? firstNode(node) : nullptr;
        if (asserted != nullptr) {
            demandRelation(m_graph.node(*asserted));
        }
    }

    /// `sym_constrain_range(u0, min=0, max=4)`
    void demandOfRange(const ir::Node& node, std::string_view name) {
        if (name != "sym_constrain_range" && name != "sym_constrain_range_for_size") {
            return;
        }
        const auto* least = argumentNamed(node, "min", 1);
        const auto* most = argumentNamed(node, "max", 2);
        if (least != nullptr) {
            require(argumentAt(node, 0), {.least = *least});
        }
        if (most != nullptr && *most < std::numeric_limits<std::int64_t>::max()) {
            require(argumentAt(node, 0), {.below = std::max<std::int64_t>(*most + 1, 1)});
        }
    }

    static const std::int64_t* argumentNamed(const ir::Node& node, std::string_view name,
                                             std::size_t position) {
        const ir::Argument* named = ir::tryKeyword(node.kwargs, name);
        const ir::Argument* found = named != nullptr ? named : argumentAt(node, position);
        return found == nullptr ? nullptr : found->as<std::int64_t>();
    }

    /// What must hold for all elements of a tensor of bools to be true: `(x >= 0).logical_and(x <= 1).all()`.
    void demandTruth(const ir::Argument& argument, int depth) {
        const auto* id = argument.as<ir::NodeId>();
        if (id == nullptr || depth > 32) {
            return;
        }
        const ir::Node& node = m_graph.node(*id);
        const std::string_view name = ir::functionName(node.target);
        if (demandRelation(node)) {
            return;
        }
        const bool joins = name == "logical_and" || name == "bitwise_and" || name == "and_" ||
                           name == "__and__" || name == "mul";
        if (joins || name == "all" || ir::operatorNamed(name).is(ir::Trait::MovesValues)) {
            for (std::size_t i = 0;
                 i < (joins ? node.args.size() : std::min<std::size_t>(1, node.args.size())); ++i) {
                demandTruth(node.args[i], depth + 1);
            }
        }
    }

    /// Demands that a comparison of a value with a number holds; false: it is none.
    bool demandRelation(const ir::Node& relation) {
        const std::string_view sign = ir::functionName(relation.target);
        const bool less = sign == "le" || sign == "lt";
        const bool greater = sign == "ge" || sign == "gt";
        if ((!less && !greater) || relation.args.size() != 2) {
            return false;
        }
        const std::optional<double> number = numberIn(relation.args[1]);
        if (!number || firstNode(relation) == nullptr) {
            return false;
        }
        const bool strict = sign == "lt" || sign == "gt";
        const double bound = *number;
        const double inside = strict ? 1e-3 * std::max(std::abs(bound), 1.0) : 0;
        ValueNeeds asked;
        if (isFloat(relation.args.front())) {
            (less ? asked.to : asked.from) = less ? bound - inside : bound + inside;
        } else if (less) {
            asked.below = std::max<std::int64_t>(static_cast<std::int64_t>(std::ceil(bound)) +
                                                     (strict || bound != std::floor(bound) ? 0 : 1),
                                                 1);
        } else {
            asked.least =
                static_cast<std::int64_t>(std::ceil(bound)) + (strict && bound == std::ceil(bound) ? 1 : 0);
        }
        require(&relation.args.front(), asked);
        return true;
    }

    [[nodiscard]] bool isFloat(const ir::Argument& argument) const {
        const auto* id = argument.as<ir::NodeId>();
        const ir::ValueMeta* value = id == nullptr ? nullptr : &m_graph.node(*id).value;
        const ir::TensorMeta* tensor = value == nullptr ? nullptr : ir::asTensor(*value);
        const auto* symbol = value == nullptr ? nullptr : std::get_if<ir::SymbolicMeta>(value);
        const auto type = tensor != nullptr ? scalarType(tensor->dtype) : std::nullopt;
        return tensor != nullptr ? type && c10::isFloatingType(*type)
                                 : symbol != nullptr && symbol->kind == ir::SymbolicMeta::Kind::Float;
    }

    /// A higher-order operator has the requirements of its subgraphs, whose last inputs are the operands in
    /// order.
    void demandOfSubgraphs(const ir::Node& node) {
        if (!ir::isHigherOrder(node.target) || m_depth > 8) {
            return;
        }
        std::vector<ir::GraphPtr> nested;
        std::vector<ir::NodeId> operands;
        for (const ir::Argument& argument : node.args) {
            ir::forEachNode(argument, [&](ir::NodeId id) {
                if (ir::GraphPtr graph = ir::bodyOf(m_graph, m_graph.node(id))) {
                    nested.push_back(std::move(graph));
                } else {
                    operands.push_back(id);
                }
            });
        }
        for (const ir::GraphPtr& graph : nested) {
            const Needs inner = Propagation(*graph, m_context, m_depth + 1).run();
            const std::vector<ir::NodeId> inputs = graph->placeholders();
            for (std::size_t i = 1; i <= std::min(inputs.size(), operands.size()); ++i) {
                addNeeds(m_needs[operands[operands.size() - i].index()],
                         inner[inputs[inputs.size() - i].index()]);
            }
        }
    }

    /// Propagates the requirements of a result to the arguments.
    void passOn(const ir::Node& node, const ValueNeeds& needs) {
        if (!needs.below && !needs.positive && needs.least == 0 && !needs.probability && !needs.rows &&
            !needs.mostTrue && !needs.from && !needs.to) {
            return;
        }
        const std::string_view name = ir::functionName(node.target);
        const std::vector<RowConstraint> parts =
            needs.rows ? rowConstraintsOfArguments(m_graph, node, *needs.rows) : std::vector<RowConstraint>();
        const ir::OperatorRow& known = ir::operatorNamed(name);
        if (known.is(ir::Trait::MovesValues)) {
            ValueNeeds copy = needs;
            if (known.is(ir::Trait::Joins)) {
                copy.rows.reset();
            }
            copy.mostTrue = trueAtMostOf(node, copy.mostTrue);
            for (const ir::Argument& argument : node.args) {
                ir::forEachNode(argument, [&](ir::NodeId id) { addNeeds(m_needs[id.index()], copy); });
                if (name == "getitem" || name == "to" || name.ends_with("_as")) {
                    break; // The others are indices, or say only what the result is like.
                }
            }
        } else if (known.is(ir::Trait::TakesElements)) {
            require(argumentAt(node, 0), ValueNeeds(needs));
        } else if (name == "sym_sum") {
            passOnSum(node, ValueNeeds(needs));
        } else {
            passOnArithmetic(node, name, needs);
        }
        for (const RowConstraint& part : parts) {
            addNeeds(m_needs[part.node.index()], {.rows = part.limits});
        }
    }

    /// The limit of true elements for an argument that the operator may repeat.
    std::optional<std::int64_t> trueAtMostOf(const ir::Node& node, std::optional<std::int64_t> most) const {
        if (!most) {
            return most;
        }
        const MetaView view(m_graph, node, m_context);
        const auto before = productOf(view.shape(0, std::nullopt));
        const auto after = productOf(view.resultShape());
        return before && after && *after > *before ? std::optional(*most * *before / *after) : most;
    }

    /// `torch.sym_sum((u0, u1))`: the terms share the range of the sum.
    void passOnSum(const ir::Node& node, const ValueNeeds& needs) {
        std::vector<ir::NodeId> terms;
        for (const ir::Argument& argument : node.args) {
            ir::forEachNode(argument, [&](ir::NodeId id) { terms.push_back(id); });
        }
        ValueNeeds share;
        share.least = needs.least;
        if (needs.below) {
            const auto count = static_cast<std::int64_t>(terms.size());
            share.below =
                (std::max<std::int64_t>(*needs.below, 1) - 1) / std::max<std::int64_t>(count, 1) + 1;
        }
        for (const ir::NodeId term : terms) {
            addNeeds(m_needs[term.index()], share);
        }
    }

    void passOnArithmetic(const ir::Node& node, std::string_view name, const ValueNeeds& needs) {
        const auto isOneOf = [&](std::initializer_list<std::string_view> names) {
            return std::ranges::find(names, name) != names.end();
        };
        const bool divides = isOneOf({"floor_divide", "div", "truediv", "floordiv"});
        // If each term or factor is at least so much, so is the sum or product.
        const bool keepsLeast = isOneOf({"mul", "abs", "neg", "add", "round", "ceil"});
        if (!divides && !keepsLeast && !isOneOf({"sub", "cumsum"})) {
            return;
        }
        const auto constant = node.args.size() > 1 ? positiveNumber(node.args[1]) : std::nullopt;
        ValueNeeds changed = needs;
        if (changed.below && *changed.below > 0) {
            changed.below = operandBelow(*changed.below, name, divides, constant, node.args.size() > 1);
        }
        changed.rows.reset();
        changed.mostTrue.reset();
        changed.from.reset();
        changed.to.reset();
        changed.whole = changed.whole || isOneOf({"cumsum", "round", "ceil"});
        if (name == "sub" && constant) {
            changed.least += static_cast<std::int64_t>(std::ceil(*constant));
        } else if (!keepsLeast) {
            changed.least = 0;
        }
        for (const ir::Argument& argument : node.args) {
            require(&argument, changed);
        }
    }

    /// In which range operands must lie for the result to be below `below`, which is positive.
    static std::int64_t operandBelow(std::int64_t below, std::string_view name, bool divides,
                                     std::optional<double> constant, bool hasSecond) {
        const double most = static_cast<double>(std::int64_t{1} << 53);
        const auto whole = [most](double number) {
            return static_cast<std::int64_t>(std::clamp(std::floor(number), 1.0, most));
        };
        if (constant && name == "add") {
            return whole(static_cast<double>(below) - std::ceil(*constant));
        }
        if (constant && name == "sub") {
            return whole(static_cast<double>(below) + std::floor(*constant));
        }
        if (constant && name == "mul") {
            return whole(std::floor(static_cast<double>(below - 1) / *constant) + 1);
        }
        if (constant && divides) {
            return whole(static_cast<double>(below) * *constant);
        }
        if (name == "cumsum") {
            return 1;
        }
        // Two terms share the range.
        return hasSecond && name == "add" ? (below + 1) / 2 : hasSecond && name == "mul" ? 1 : below;
    }

    static std::optional<double> positiveNumber(const ir::Argument& argument) {
        const double value = numberIn(argument).value_or(0);
        return value > 0 && std::isfinite(value) ? std::optional(value) : std::nullopt;
    }

    const ir::Graph& m_graph;
    const RunContext& m_context;
    int m_depth;
    Needs m_needs;
};

} // namespace

void addNeeds(ValueNeeds& into, const ValueNeeds& from) {
    lower(into.below, from.below);
    lower(into.mostTrue, from.mostTrue);
    lower(into.to, from.to);
    if (from.from) {
        into.from = std::max(into.from.value_or(*from.from), *from.from);
    }
    if (from.rows && (!into.rows || from.rows->to < into.rows->to)) {
        into.rows = from.rows;
    }
    into.least = std::max(into.least, from.least);
    for (bool ValueNeeds::*is : {&ValueNeeds::positive, &ValueNeeds::exactlyTrue, &ValueNeeds::generatorState,
                                 &ValueNeeds::probability, &ValueNeeds::whole}) {
        into.*is = into.*is || from.*is;
    }
}

std::vector<ValueNeeds> valueNeeds(const ir::Graph& graph, const RunContext& context) {
    return Propagation(graph, context, 0).run();
}

} // namespace aotscope::torch
