#include "fake/shape_environment.h"

#include "base/characters.h"
#include "fake/guard_bounds.h"
#include "fake/relation_text.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace aotscope::torch {

namespace {

SymExpression expressionOf(const c10::SymInt& value) {
    const SymbolicNode* node = asSymbolic(value);
    return node == nullptr ? SymExpression(value.maybe_as_int().value_or(0)) : node->expression();
}

bool isNumber(std::string_view text) {
    const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
    return !digits.empty() && std::all_of(digits.begin(), digits.end(), base::isDigit);
}

/// Whether a guard only requires that a number of bounded symbols fits in 64 bits.
bool onlyAsksToFit(const KnownRanges& known, std::string_view guard) {
    const auto sides = relationSides(guard);
    if (!sides || sides->kind != SymbolRelation::Kind::LessEqual ||
        sides->right != std::to_string(std::numeric_limits<std::int64_t>::max())) {
        return false;
    }
    const std::vector<std::string> symbols = ir::SymExpr(sides->left).symbols();
    return std::all_of(symbols.begin(), symbols.end(),
                       [&](const std::string& symbol) { return known.isBounded(symbol); });
}

/// Whether every part of a guard follows from the known facts and from sizes of at least 2.
bool followsFrom(const KnownRanges& known, const NumberSymbols& numbers, std::string_view guard) {
    constexpr std::string_view both = " & ";
    const std::size_t at = guard.find(both);
    if (at != std::string_view::npos) {
        return followsFrom(known, numbers, guard.substr(0, at)) &&
               followsFrom(known, numbers, guard.substr(at + both.size()));
    }
    if (holdsForAllSizes(guard, numbers) || onlyAsksToFit(known, guard)) {
        return true;
    }
    const auto question = symbolRelation(guard);
    return question && known.imply(*question);
}

} // namespace

const SymbolicNode* asSymbolic(const c10::SymInt& value) {
    if (!value.is_heap_allocated()) {
        return nullptr;
    }
    return dynamic_cast<const SymbolicNode*>(value.toSymNodeImplUnowned());
}

std::int64_t sampledValue(const c10::SymInt& value, std::size_t sample) {
    const SymbolicNode* node = asSymbolic(value);
    if (node == nullptr) {
        return value.maybe_as_int().value_or(0);
    }
    // A check that divides by zero has no size here.
    const double number = node->value(sample);
    return std::isfinite(number) ? static_cast<std::int64_t>(number) : -1;
}

c10::SymInt ShapeEnvironment::make(SymExpression expression, std::vector<double> values,
                                   SymProvenance provenance) {
    if (const auto constant = expression.constant()) {
        return c10::SymInt(*constant);
    }
    return c10::SymInt(c10::SymNode(c10::make_intrusive<SymbolicNode>(
        *this, SymbolicNode::Kind::Int, std::move(expression), std::move(values), std::move(provenance))));
}

ShapeEnvironment::Replacement ShapeEnvironment::resolved(const std::string& name) const {
    const auto found = m_replacements.find(name);
    if (found == m_replacements.end()) {
        return name;
    }
    const auto* other = std::get_if<std::string>(&found->second);
    return other == nullptr ? found->second : resolved(*other);
}

std::string ShapeEnvironment::replacementOf(const std::string& name) const {
    const Replacement replacement = resolved(name);
    if (const auto* number = std::get_if<std::int64_t>(&replacement)) {
        return std::to_string(*number);
    }
    const auto& other = std::get<std::string>(replacement);
    return other == name ? std::string() : other;
}

void ShapeEnvironment::takeFact(const std::string& fact, bool byUser) {
    m_guards.push_back({.expression = fact, .node = {}, .source = {}, .byUser = byUser});
    std::optional<SymbolRelation> relation = symbolRelation(fact);
    m_knownGuards.emplace_back(fact);
    if (!relation) {
        return;
    }
    const Replacement left = resolved(relation->symbol);
    const Replacement right =
        relation->otherSymbol.empty() ? Replacement(relation->number) : resolved(relation->otherSymbol);
    const auto* leftSymbol = std::get_if<std::string>(&left);
    const auto* rightSymbol = std::get_if<std::string>(&right);
    if (relation->kind != SymbolRelation::Kind::Equal) {
        if (leftSymbol != nullptr) {
            relation->symbol = *leftSymbol;
            m_known.add(*std::move(relation));
        }
    } else if (leftSymbol != nullptr && rightSymbol != nullptr) {
        if (*leftSymbol != *rightSymbol) {
            // The later name is replaced, so that the order of names in the fact does not matter.
            m_replacements[std::max(*leftSymbol, *rightSymbol)] = std::min(*leftSymbol, *rightSymbol);
        }
    } else if (leftSymbol != nullptr) {
        m_replacements[*leftSymbol] = right;
    } else if (rightSymbol != nullptr) {
        m_replacements[*rightSymbol] = left;
    }
}

void ShapeEnvironment::takeKnown(const std::string& guard) {
    m_knownGuards.emplace_back(guard);
    if (auto relation = symbolRelation(guard)) {
        m_known.add(*std::move(relation));
    }
}

ir::SymbolBindings ShapeEnvironment::bindings(std::size_t sample) const {
    ir::SymbolBindings bindings;
    for (const auto& [name, values] : m_symbols) {
        if (!m_unbacked.contains(name)) {
            bindings[name] = values[sample];
        }
    }
    for (const auto& [name, first] : m_replacements) {
        const Replacement replacement = resolved(name);
        if (const auto* number = std::get_if<std::int64_t>(&replacement)) {
            bindings[name] = *number;
        } else if (const auto other = bindings.find(std::get<std::string>(replacement));
                   other != bindings.end()) {
            bindings[name] = other->second;
        }
    }
    return bindings;
}

c10::SymInt ShapeEnvironment::symSum(const std::vector<c10::SymInt>& terms) {
    SymExpression expression(0);
    std::vector<double> values(valueCount());
    SymProvenance provenance{"sym_sum", {}, recordsArithmetic};
    const auto symbolic = std::find_if(terms.begin(), terms.end(),
                                       [](const c10::SymInt& term) { return asSymbolic(term) != nullptr; });
    for (const c10::SymInt& term : terms) {
        expression = expression + expressionOf(term);
        for (std::size_t k = 0; k < values.size(); ++k) {
            values[k] += static_cast<double>(sampledValue(term, k));
        }
        if (symbolic != terms.end()) {
            provenance.operands.push_back(asSymbolic(term) != nullptr
                                              ? term.toSymNode()
                                              : symbolic->toSymNode()->wrap_int(term.expect_int()));
        }
    }
    c10::SymInt made = make(std::move(expression), std::move(values), std::move(provenance));
    if (recordsArithmetic && onComputed && made.is_symbolic()) {
        onComputed(made.toSymNode());
    }
    return made;
}

bool ShapeEnvironment::alwaysHolds(std::string_view guard) const {
    return followsFrom(m_known, m_numberSymbols, guard);
}

void ShapeEnvironment::assumeEqual(const c10::SymInt& left, const c10::SymInt& right) {
    const std::string first = expressionOf(left).text();
    const std::string second = expressionOf(right).text();
    if (first == second || sampledValue(left, 0) != sampledValue(right, 0)) {
        return;
    }
    const auto solved = (expressionOf(left) - expressionOf(right)).solvedForZero();
    const auto [one, other] = solved.value_or(std::pair(first, second));
    const bool inOrder = isNumber(other) || one < other;
    const std::string guard = "Eq(" + (inOrder ? one : other) + ", " + (inOrder ? other : one) + ")";
    for (std::size_t k = 1; k < samples(); ++k) {
        if (sampledValue(left, k) != sampledValue(right, k)) {
            requireGuard(guard);
        }
    }
    if (solved && m_hints.contains(one)) {
        addGuard(guard);
    }
}

c10::SymInt ShapeEnvironment::copyOf(const SymbolicNode& number) {
    std::vector<double> values;
    for (std::size_t k = 0; k < valueCount(); ++k) {
        values.push_back(number.value(k));
    }
    return make(number.expression(), std::move(values), {});
}

void ShapeEnvironment::requireGuard(const std::string& guard) {
    const bool taken = std::any_of(m_knownGuards.begin(), m_knownGuards.end(),
                                   [&](const ir::SymExpr& known) { return known.text() == guard; });
    if (!taken) {
        m_needed = guard;
        TORCH_CHECK(false, guard, " must hold for the traced sizes, but does not for ", symbolValues());
    }
}

void ShapeEnvironment::addGuard(std::string expression) {
    const bool isKnown = std::any_of(m_guards.begin(), m_guards.end(), [&](const aot::RetraceGuard& guard) {
        return guard.expression == expression;
    });
    if (isKnown || alwaysHolds(expression)) {
        return;
    }
    m_guards.push_back({.expression = std::move(expression), .node = m_currentNode});
    if (onGuard) {
        onGuard(m_guards.back());
    }
}

} // namespace aotscope::torch
