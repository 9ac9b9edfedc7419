#include "passes/value_size.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>

namespace aotscope::passes {
namespace {

constexpr std::int64_t fallbackSize = 4096;
/// Limit on a tensor's bytes: a million tensors of this size still add up in 63 bits.
constexpr std::int64_t largestTensor = std::int64_t{1} << 42;

/// An operand of a comparison; empty: neither an integer nor a symbolic one.
std::optional<ir::SymInt> operandOf(const ir::Graph& graph, const ir::Argument& argument) {
    if (const auto* integer = argument.as<std::int64_t>()) {
        return *integer;
    }
    const ir::NodeId* id = argument.as<ir::NodeId>();
    const auto* symbolic = id == nullptr ? nullptr : std::get_if<ir::SymbolicMeta>(&graph.node(*id).value);
    return symbolic != nullptr && symbolic->kind == ir::SymbolicMeta::Kind::Int
               ? std::optional<ir::SymInt>(symbolic->expression)
               : std::nullopt;
}

std::int64_t floorQuotient(std::int64_t a, std::int64_t b) {
    return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

} // namespace

ValueSizes::ValueSizes(const ir::Graph& graph, const PartitionRules& rules, ir::SymbolBindings bindings)
    : m_graph(graph), m_bindings(std::move(bindings)) {
    m_bindings.insert(graph.symbolHints().begin(), graph.symbolHints().end());
    if (rules.guessesWithinAssertedBounds) {
        readBounds();
    }
}

void ValueSizes::readBounds() {
    for (const ir::NodeId id : m_graph.order()) {
        const ir::Node& node = m_graph.node(id);
        const ir::NodeId* condition =
            node.target == "aten._assert_scalar.default" ? node.tryArg<ir::NodeId>(0) : nullptr;
        if (condition != nullptr) {
            readBound(m_graph.node(*condition));
        }
    }
}

/// Reads a comparison that is linear in one symbol without an example value.
void ValueSizes::readBound(const ir::Node& comparison) {
    const bool less = comparison.target == "_operator.le" || comparison.target == "_operator.lt";
    const bool greater = comparison.target == "_operator.ge" || comparison.target == "_operator.gt";
    if ((!less && !greater) || comparison.args.size() != 2) {
        return;
    }
    const auto first = operandOf(m_graph, comparison.args[less ? 0 : 1]);
    const auto second = operandOf(m_graph, comparison.args[less ? 1 : 0]);
    std::set<std::string> unknown;
    for (const auto* operand : {&first, &second}) {
        if (!*operand) {
            return;
        }
        if ((*operand)->isSymbolic()) {
            for (const std::string& symbol : (*operand)->expression().symbols()) {
                if (!m_bindings.contains(symbol)) {
                    unknown.insert(symbol);
                }
            }
        }
    }
    if (unknown.size() != 1) {
        return;
    }
    const std::string& symbol = *unknown.begin();
    // first - second at three points: constant + factor * symbol <= 0, or < 0.
    std::array<std::int64_t, 3> at{};
    for (std::size_t i = 0; i < at.size(); ++i) {
        ir::SymbolBindings bindings = m_bindings;
        bindings[symbol] = static_cast<std::int64_t>(i);
        const auto left = first->value(bindings);
        const auto right = second->value(bindings);
        if (!left || !right || __builtin_sub_overflow(*left, *right, &at.at(i))) {
            return;
        }
    }
    constexpr std::int64_t limit = std::int64_t{1} << 40;
    if (std::ranges::any_of(at, [](std::int64_t value) { return std::abs(value) > limit; })) {
        return;
    }
    const std::int64_t factor = at[1] - at[0];
    if (factor == 0 || at[2] - at[1] != factor) {
        return;
    }
    const bool strict = comparison.target == "_operator.lt" || comparison.target == "_operator.gt";
    const std::int64_t constant = at[0] + (strict ? 1 : 0);
    Bounds& bounds = m_bounds[symbol];
    if (factor > 0) {
        bounds.upper = std::min(bounds.upper, floorQuotient(-constant, factor));
    } else {
        bounds.lower = std::max(bounds.lower, -floorQuotient(-constant, -factor));
    }
}

std::int64_t ValueSizes::integer(const ir::SymInt& value) {
    if (const auto known = value.value(m_bindings)) {
        return *known;
    }
    for (const std::string& symbol : value.expression().symbols()) {
        const auto bounds = m_bounds.find(symbol);
        const std::int64_t guess =
            bounds == m_bounds.end()
                ? fallbackSize
                : std::min(std::max(fallbackSize, bounds->second.lower), bounds->second.upper);
        if (m_bindings.emplace(symbol, guess).second) {
            m_unbound.insert(symbol);
        }
    }
    return value.value(m_bindings).value_or(fallbackSize);
}

std::int64_t ValueSizes::tensorBytes(const ir::TensorMeta& tensor) {
    auto total = static_cast<std::int64_t>(ir::dtypeBytes(tensor.dtype));
    for (const ir::SymInt& dimension : tensor.shape) {
        if (__builtin_mul_overflow(total, std::max<std::int64_t>(integer(dimension), 0), &total)) {
            return largestTensor;
        }
    }
    return std::min(total, largestTensor);
}

std::int64_t ValueSizes::valueBytes(const ir::ValueMeta& value) {
    if (const ir::TensorMeta* tensor = ir::asTensor(value)) {
        return tensorBytes(*tensor);
    }
    if (const auto* tuple = std::get_if<std::shared_ptr<const ir::TupleMeta>>(&value)) {
        std::int64_t total = 0;
        for (const ir::ValueMeta& element : (*tuple)->elements) {
            // As in _size_of, only tensors count inside a tuple.
            if (ir::asTensor(element) != nullptr) {
                total += valueBytes(element);
            }
        }
        return total;
    }
    return std::holds_alternative<ir::SymbolicMeta>(value) ? 1 : 0;
}

std::int64_t ValueSizes::elementsBytes(ir::NodeId id) {
    std::int64_t total = 0;
    for (const ir::NodeId user : m_graph.users(id)) {
        if (m_graph.node(user).target == "_operator.getitem") {
            total += valueBytes(m_graph.node(user).value);
        }
    }
    return total;
}

std::int64_t ValueSizes::bytes(ir::NodeId id) {
    const ir::ValueMeta& value = m_graph.node(id).value;
    return std::holds_alternative<std::monostate>(value) ? elementsBytes(id) : valueBytes(value);
}

ir::SymbolBindings ValueSizes::guesses() const {
    ir::SymbolBindings guesses;
    for (const std::string& symbol : m_unbound) {
        guesses.emplace(symbol, m_bindings.at(symbol));
    }
    return guesses;
}

ir::SymbolBindings guessedSizes(const ir::Graph& graph, const PartitionRules& rules) {
    ValueSizes sizes(graph, rules);
    for (const ir::NodeId id : graph.order()) {
        (void)sizes.bytes(id);
    }
    return sizes.guesses();
}

} // namespace aotscope::passes
