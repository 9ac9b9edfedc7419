#include "fake/shape_environment.h"

#include "ir/python_literal.h"

#include <algorithm>
#include <array>

/// Unbacked symbols of a ShapeEnvironment: their names, their values in the samples, and their bounds.
namespace aotscope::torch {

namespace {

/// Values of an unbacked symbol in the samples. Never 0 or 1, which PyTorch does not expect of sizes either;
/// small, because they may be positions in a dimension; no row is a linear function of another.
constexpr std::array<std::array<int, ShapeEnvironment::sampleCount>, 12> kRows = {{{2, 3, 5},
                                                                                   {3, 2, 7},
                                                                                   {5, 3, 2},
                                                                                   {2, 5, 3},
                                                                                   {7, 2, 3},
                                                                                   {3, 7, 2},
                                                                                   {5, 2, 7},
                                                                                   {2, 7, 5},
                                                                                   {7, 5, 2},
                                                                                   {3, 5, 7},
                                                                                   {5, 7, 3},
                                                                                   {7, 3, 5}}};

/// How many values of an unbacked symbol are tried.
constexpr std::int64_t kTried = 64;

const SymbolicNode* symbolicNode(const c10::SymNode& node) {
    return dynamic_cast<const SymbolicNode*>(node.get());
}

} // namespace

void ShapeEnvironment::enterNode(const void* node, const std::string& name,
                                 const std::set<std::string>& unbackedNames) {
    m_currentNode = name;
    m_place = node;
    m_nextOfNode = 0;
    if (unbackedNames.empty() || m_unbackedOfNode.contains(node)) {
        return;
    }
    for (const std::string& symbol : unbackedNames) {
        // A symbol that an earlier node made is only used here.
        if (!m_unbacked.contains(symbol)) {
            m_unbackedOfNode[node].push_back(symbol);
        }
    }
}

std::string ShapeEnvironment::unbackedName(std::string_view prefix) {
    const auto from = [&](std::size_t number) {
        std::string name;
        do {
            name = std::string(prefix) + std::to_string(number++);
        } while (m_unbacked.contains(name));
        return name;
    };
    // PyTorch counts every unbacked number, even one that then takes the name of the program's symbol.
    std::size_t& count = prefix == "u" ? m_unbackedNumbers : m_unbackedFloats;
    const std::size_t number = count++;
    if (!m_unnamed.empty()) {
        return from(number);
    }
    // Symbols whose names the log does not show are named in the order of the program.
    std::vector<std::string>& names = m_unbackedOfNode[m_place];
    if (m_nextOfNode == names.size()) {
        names.push_back(from(prefix == "u" ? m_firstUnbackedName : 0));
    }
    return names[m_nextOfNode++];
}

bool ShapeEnvironment::isPossible(const std::string& name, const std::vector<std::int64_t>& values,
                                  const Unbacked& range) const {
    const std::int64_t value = values.back();
    if ((range.least && value < *range.least) || (range.most && value > *range.most)) {
        return false;
    }
    ir::SymbolBindings bindings = {{name, value}};
    if (!m_unnamed.empty()) {
        bindings.emplace(m_unnamed, value);
    }
    for (const auto& [symbol, others] : m_symbols) {
        const bool areEqual =
            std::ranges::any_of(m_asserted, [&, other = symbol](const ir::SymExpr& relation) {
                return relation.text() == "Eq(" + other + ", " + name + ")" ||
                       relation.text() == "Eq(" + name + ", " + other + ")";
            });
        if (others == values && !areEqual) {
            return false;
        }
        bindings.emplace(symbol, others[values.size() - 1]);
    }
    return std::all_of(m_asserted.begin(), m_asserted.end(), [&](const ir::SymExpr& relation) {
        const auto answer = relation.evaluate(bindings);
        const bool* holds = answer ? std::get_if<bool>(&*answer) : nullptr;
        return holds == nullptr || *holds;
    });
}

std::vector<double> ShapeEnvironment::unbackedValues(const std::string& name, const Unbacked& range) {
    const auto [known, added] = m_unbacked.try_emplace(name, range);
    if (added) {
        const std::size_t place = m_unbacked.size() - 1;
        std::vector<std::int64_t> values;
        for (std::size_t k = 0; k < sampleCount + checkCount; ++k) {
            const std::size_t round = k / sampleCount;
            const int number = kRows[(place + 5 * round) % kRows.size()][k % sampleCount];
            const auto wanted = static_cast<std::int64_t>(number + round + 6 * (place / kRows.size()));
            // The first allowed value, counting up from the wanted one and then from 2; the wanted one if
            // there is none.
            values.push_back(wanted);
            for (std::int64_t tried = 0; !isPossible(name, values, range); ++tried) {
                if (tried == kTried) {
                    values.back() = wanted;
                    break;
                }
                values.back() = 2 + (wanted - 2 + tried) % kTried;
            }
        }
        m_symbols.emplace_back(name, values);
    }
    const auto found = std::find_if(m_symbols.begin(), m_symbols.end(),
                                    [&](const auto& symbol) { return symbol.first == name; });
    return {found->second.begin(), found->second.end()};
}

c10::SymInt ShapeEnvironment::unbackedInt(std::optional<std::int64_t> least,
                                          std::optional<std::int64_t> most) {
    if (m_knownInt) {
        ++m_unbackedNumbers;
        return *m_knownInt;
    }
    const std::string name = unbackedName("u");
    return make(SymExpression::atom(name), unbackedValues(name, {least, most}), {});
}

c10::SymFloat ShapeEnvironment::unbackedFloat() {
    const std::string name = unbackedName("zuf");
    return c10::SymFloat(c10::SymNode(
        c10::make_intrusive<SymbolicNode>(*this, SymbolicNode::Kind::Float, SymExpression::atom(name),
                                          unbackedValues(name, {}), SymProvenance{})));
}

std::optional<c10::SymFloat> ShapeEnvironment::knownFloat() {
    if (!m_knownFloat) {
        return std::nullopt;
    }
    if (m_knownFloat->symbol.empty()) {
        return c10::SymFloat(m_knownFloat->value);
    }
    return c10::SymFloat(c10::SymNode(c10::make_intrusive<SymbolicNode>(
        *this, SymbolicNode::Kind::Float, SymExpression::atom(m_knownFloat->symbol),
        std::vector<double>{m_knownFloat->value}, SymProvenance{})));
}

void ShapeEnvironment::foundFloat(const SymbolicNode& number) {
    const std::string symbol = number.expression().text();
    const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
    if (symbol.starts_with("zf") && std::all_of(symbol.begin() + 2, symbol.end(), isDigit) &&
        m_foundFloats.insert(symbol).second) {
        addGuard("Eq(" + symbol + ", " + ir::pythonFloat(number.value(0)) + ")");
    }
}

bool ShapeEnvironment::isFoundFloat(const SymbolicNode& number) const {
    if (number.kind() != SymbolicNode::Kind::Float || m_foundFloats.empty()) {
        return false;
    }
    const std::vector<std::string> symbols = ir::SymExpr(number.expression().text()).symbols();
    return !symbols.empty() && std::all_of(symbols.begin(), symbols.end(), [&](const std::string& symbol) {
        return m_foundFloats.contains(symbol);
    });
}

c10::SymBool ShapeEnvironment::unbackedBool() {
    const std::string name = unbackedName("u");
    return c10::SymBool(c10::SymNode(c10::make_intrusive<SymbolicNode>(
        *this, SymbolicNode::Kind::Bool, SymExpression::atom("Eq(" + name + ", 1)"),
        unbackedValues(name, {0, 1}), SymProvenance{})));
}

bool ShapeEnvironment::isUnbacked(const c10::SymInt& number) const {
    const SymbolicNode* node = asSymbolic(number);
    if (node == nullptr || m_unbacked.empty()) {
        return false;
    }
    const std::vector<std::string> symbols = node->expression().symbols();
    return std::any_of(symbols.begin(), symbols.end(),
                       [&](const std::string& symbol) { return m_unbacked.contains(symbol); });
}

bool ShapeEnvironment::knownNonnegative(const SymExpression& expression) const {
    const auto rangeOf = [&](const std::string& symbol) -> SymExpression::Range {
        const auto found = m_unbacked.find(symbol);
        if (found != m_unbacked.end()) {
            return {found->second.least, found->second.most};
        }
        // 0 and 1 are specialized.
        const std::optional<std::int64_t> known = m_known.least(symbol);
        return {isSizeSymbol(symbol) ? std::max<std::int64_t>(known.value_or(2), 2) : known, std::nullopt};
    };
    const auto least = expression.range(rangeOf).first;
    return (least && *least >= 0) ||
           std::any_of(m_nonnegative.begin(), m_nonnegative.end(), [&](const SymExpression& asserted) {
               return (expression - asserted).constant() == 0;
           });
}

namespace {

SymExpression asExpression(const c10::SymInt& number) {
    const SymbolicNode* node = asSymbolic(number);
    return node == nullptr ? SymExpression(number.expect_int()) : node->expression();
}

} // namespace

bool ShapeEnvironment::knownAtLeast(const c10::SymInt& number, std::int64_t least) const {
    return knownNonnegative(asExpression(number) - SymExpression(least));
}

bool ShapeEnvironment::knownAtMost(const c10::SymInt& number, const c10::SymInt& most) const {
    return knownNonnegative(asExpression(most) - asExpression(number));
}

void ShapeEnvironment::assume(const c10::SymNode& condition) {
    const SymbolicNode* node = symbolicNode(condition);
    if (node == nullptr || node->provenance().operands.size() != 2) {
        return;
    }
    const SymbolicNode* left = symbolicNode(node->provenance().operands[0]);
    const SymbolicNode* right = symbolicNode(node->provenance().operands[1]);
    if (left == nullptr || right == nullptr || !right->expression().constant()) {
        return;
    }
    const std::int64_t bound = right->expression().constant().value();
    const std::string& relation = node->provenance().operation;
    const bool strict = relation == "gt" || relation == "lt";
    const auto range = m_unbacked.find(left->expression().text());
    if (range == m_unbacked.end()) {
        const SymExpression above = left->expression() - SymExpression(bound) - SymExpression(strict ? 1 : 0);
        const SymExpression below = SymExpression(bound) - left->expression() - SymExpression(strict ? 1 : 0);
        if (relation == "ge" || relation == "gt") {
            m_nonnegative.push_back(above);
        } else if (relation == "le" || relation == "lt") {
            m_nonnegative.push_back(below);
        }
        return;
    }
    if (relation == "ge" || relation == "gt") {
        const std::int64_t least = bound + (strict ? 1 : 0);
        range->second.least = std::max(range->second.least.value_or(least), least);
    } else if (relation == "le" || relation == "lt") {
        const std::int64_t most = bound - (strict ? 1 : 0);
        range->second.most = std::min(range->second.most.value_or(most), most);
    }
}

} // namespace aotscope::torch
