#include "fake/shape_environment.h"

#include "base/characters.h"
#include "ir/python_literal.h"

#include <algorithm>
#include <iterator>

/// Unbacked symbols of a ShapeEnvironment: their names, their values in the samples, and their bounds.
namespace aotscope::torch {

namespace {

/// Values of an unbacked symbol in the samples. Never 0 or 1, which PyTorch does not expect of sizes either;
/// small, because they may be positions in a dimension; no row is a linear function of another.
constexpr int kRows[12][ShapeEnvironment::sampleCount] = {{2, 3, 5}, {3, 2, 7}, {5, 3, 2}, {2, 5, 3},
                                                          {7, 2, 3}, {3, 7, 2}, {5, 2, 7}, {2, 7, 5},
                                                          {7, 5, 2}, {3, 5, 7}, {5, 7, 3}, {7, 3, 5}};

/// How many values of an unbacked symbol are tried.
constexpr std::int64_t kTried = 64;

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
        // A symbol of an earlier node is only used here.
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
    // Symbols whose names the log does not show are named in the order of the program.
    std::vector<std::string>& names = m_unbackedOfNode[m_place];
    if (m_nextOfNode == names.size()) {
        const std::size_t first = prefix == "u" ? m_firstUnbackedName : 0;
        names.push_back(from(m_unnamed.empty() ? first : number));
        return names[m_nextOfNode++];
    }
    ++m_nextOfNode;
    return m_unnamed.empty() ? names[m_nextOfNode - 1] : from(number);
}

bool ShapeEnvironment::isPossible(const std::string& name, const std::vector<std::int64_t>& values,
                                  const ir::SymRange& range) const {
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
    return std::ranges::all_of(m_asserted, [&](const ir::SymExpr& relation) {
        return relation.evaluateBool(bindings).value_or(true);
    });
}

std::vector<double> ShapeEnvironment::unbackedValues(const std::string& name, const ir::SymRange& range) {
    const auto valuesOf = [&](const std::string& symbol) {
        return std::ranges::find(m_symbols, symbol, [](const auto& known) { return known.first; })->second;
    };
    const auto [known, added] = m_unbacked.try_emplace(name, range);
    // Another pass over a node makes another symbol, but reads the same number.
    const std::string& first = m_unbackedOfNode[m_place][m_nextOfNode - 1];
    if (added && first != name) {
        m_symbols.emplace_back(name, valuesOf(first));
    } else if (added) {
        const std::size_t place = m_unbacked.size() - 1;
        std::vector<std::int64_t> values;
        for (std::size_t k = 0; k < sampleCount + checkCount; ++k) {
            const std::size_t round = k / sampleCount;
            const int number = kRows[(place + 5 * round) % std::size(kRows)][k % sampleCount];
            const auto wanted = static_cast<std::int64_t>(number + round + 6 * (place / std::size(kRows)));
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
    const std::vector<std::int64_t> values = valuesOf(name);
    return {values.begin(), values.end()};
}

c10::SymInt ShapeEnvironment::unbackedInt(std::optional<std::int64_t> least,
                                          std::optional<std::int64_t> most) {
    if (m_knownInt) {
        ++m_unbackedNumbers;
        return *m_knownInt;
    }
    const std::string name = unbackedName("u");
    return make(ir::SymExpr(name), unbackedValues(name, {least, most}), {});
}

c10::SymFloat ShapeEnvironment::unbackedFloat() {
    const std::string name = unbackedName("zuf");
    return c10::SymFloat(node(SymbolicNode::Kind::Float, ir::SymExpr(name), unbackedValues(name, {})));
}

std::optional<c10::SymFloat> ShapeEnvironment::knownFloat() {
    if (!m_knownFloat) {
        return std::nullopt;
    }
    if (m_knownFloat->symbol.empty()) {
        return c10::SymFloat(m_knownFloat->value);
    }
    return c10::SymFloat(
        node(SymbolicNode::Kind::Float, ir::SymExpr(m_knownFloat->symbol), {m_knownFloat->value}));
}

void ShapeEnvironment::specializeFloat(const SymbolicNode& number) {
    const std::string& symbol = number.expression().text();
    if (symbol.starts_with("zf") && std::all_of(symbol.begin() + 2, symbol.end(), base::isDigit) &&
        m_specializedFloats.insert(symbol).second) {
        addGuard(ir::SymRelation{ir::SymRelation::Kind::Equal, number.expression(),
                                 ir::SymExpr(ir::pythonFloat(number.value(0)))}
                     .guard());
    }
}

bool ShapeEnvironment::isSpecializedFloat(const SymbolicNode& number) const {
    if (number.kind() != SymbolicNode::Kind::Float || m_specializedFloats.empty()) {
        return false;
    }
    const std::vector<std::string> symbols = number.expression().symbols();
    return !symbols.empty() && std::ranges::all_of(symbols, [&](const std::string& symbol) {
        return m_specializedFloats.contains(symbol);
    });
}

c10::SymBool ShapeEnvironment::unbackedBool() {
    const std::string name = unbackedName("u");
    return c10::SymBool(
        node(SymbolicNode::Kind::Bool, ir::SymExpr("Eq(" + name + ", 1)"), unbackedValues(name, {0, 1})));
}

bool ShapeEnvironment::isUnbacked(const c10::SymInt& number) const {
    const SymbolicNode* node = asSymbolic(number);
    if (node == nullptr || m_unbacked.empty()) {
        return false;
    }
    return node->expression().anySymbol(
        [&](const std::string& symbol) { return m_unbacked.contains(symbol); });
}

bool ShapeEnvironment::knownNonnegative(const ir::SymExpr& expression) const {
    return staticComparison(ir::SymRelation::Kind::GreaterEqual, expression) == true;
}

bool ShapeEnvironment::knownAtLeast(const c10::SymInt& number, std::int64_t least) const {
    return knownNonnegative(expressionOf(number) - ir::SymExpr(least));
}

bool ShapeEnvironment::knownAtMost(const c10::SymInt& number, const c10::SymInt& most) const {
    return knownNonnegative(expressionOf(most) - expressionOf(number));
}

} // namespace aotscope::torch
