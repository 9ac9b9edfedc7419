#include "fake/shape_environment.h"

#include "base/characters.h"
#include "base/mapped.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace aotscope::torch {

namespace {

bool isNumber(std::string_view text) {
    const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
    return !digits.empty() && std::ranges::all_of(digits, base::isDigit);
}

/// Whether a guard only requires that a number of bounded symbols fits in 64 bits.
bool onlyAsksToFit(const ir::KnownRanges& known, const ir::SymExpr& guard) {
    static const std::string most = std::to_string(std::numeric_limits<std::int64_t>::max());
    const auto relation = guard.text().find(most) == std::string::npos ? std::nullopt : ir::relationOf(guard);
    return relation && relation->kind == ir::SymRelation::Kind::LessEqual &&
           relation->right == ir::SymExpr(std::numeric_limits<std::int64_t>::max()) &&
           std::ranges::all_of(relation->left.symbols(), [&](const std::string& symbol) {
               return known.range(symbol).most.has_value();
           });
}

/// Whether every part of a guard follows from the known facts and from sizes of at least 2.
bool followsFrom(const ir::KnownRanges& known, const ir::NumberSymbols& numbers, const ir::SymExpr& guard) {
    // Comparisons are printed without brackets around them.
    constexpr std::string_view both = " & ";
    const std::string_view text = guard.text();
    if (const std::size_t at = text.find(both); at != std::string_view::npos) {
        return followsFrom(known, numbers, ir::SymExpr(text.substr(0, at))) &&
               followsFrom(known, numbers, ir::SymExpr(text.substr(at + both.size())));
    }
    if (ir::holdsForAllSizes(guard, numbers) || onlyAsksToFit(known, guard)) {
        return true;
    }
    const auto question = ir::symbolRelation(guard);
    return question && known.imply(*question);
}

} // namespace

ir::SymExpr expressionOf(const c10::SymInt& value) {
    const SymbolicNode* node = asSymbolic(value);
    return node == nullptr ? ir::SymExpr(value.maybe_as_int().value_or(0)) : node->expression();
}

const SymbolicNode* asSymbolic(const c10::SymInt& value) {
    if (!value.is_heap_allocated()) {
        return nullptr;
    }
    return dynamic_cast<const SymbolicNode*>(value.toSymNodeImplUnowned());
}

std::optional<std::int64_t> plainNumber(const c10::SymInt& value) {
    return asSymbolic(value) == nullptr ? value.maybe_as_int() : std::nullopt;
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

std::vector<std::int64_t> sampledValues(c10::SymIntArrayRef values, std::size_t sample) {
    return base::mapped(values, [&](const c10::SymInt& value) { return sampledValue(value, sample); });
}

c10::SymNode ShapeEnvironment::node(SymbolicNode::Kind kind, ir::SymExpr expression,
                                    std::vector<double> values, SymProvenance provenance) {
    return c10::make_intrusive<SymbolicNode>(*this, kind, std::move(expression), std::move(values),
                                             std::move(provenance));
}

c10::SymInt ShapeEnvironment::make(ir::SymExpr expression, std::vector<double> values,
                                   SymProvenance provenance) {
    if (const auto constant = expression.constant()) {
        return c10::SymInt(*constant);
    }
    return c10::SymInt(
        node(SymbolicNode::Kind::Int, std::move(expression), std::move(values), std::move(provenance)));
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

void ShapeEnvironment::takeFact(const ir::SymExpr& fact, bool byUser) {
    m_guards.push_back({.expression = fact, .node = {}, .source = {}, .byUser = byUser});
    std::optional<ir::SymbolRelation> relation = ir::symbolRelation(fact);
    m_knownGuards.push_back(fact);
    if (!relation) {
        return;
    }
    const Replacement left = resolved(relation->symbol);
    const Replacement right =
        relation->otherSymbol.empty() ? Replacement(relation->number) : resolved(relation->otherSymbol);
    const auto* leftSymbol = std::get_if<std::string>(&left);
    const auto* rightSymbol = std::get_if<std::string>(&right);
    if (relation->kind != ir::SymRelation::Kind::Equal) {
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

void ShapeEnvironment::takeKnown(const ir::SymExpr& guard) {
    m_knownGuards.push_back(guard);
    if (auto relation = ir::symbolRelation(guard)) {
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
    ir::SymExpr expression(0);
    std::vector<double> values(valueCount());
    SymProvenance provenance{"sym_sum", {}, recordsArithmetic};
    const auto symbolic =
        std::ranges::find_if(terms, [](const c10::SymInt& term) { return asSymbolic(term) != nullptr; });
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

bool ShapeEnvironment::alwaysHolds(const ir::SymExpr& guard) const {
    return followsFrom(m_known, m_numberSymbols, guard);
}

void ShapeEnvironment::assumeEqual(const c10::SymInt& left, const c10::SymInt& right) {
    const ir::SymExpr first = expressionOf(left);
    const ir::SymExpr second = expressionOf(right);
    if (first == second || sampledValue(left, 0) != sampledValue(right, 0)) {
        return;
    }
    const auto solved = (first - second).solvedForZero();
    const auto [one, other] = solved.value_or(std::pair(first.text(), second.text()));
    const bool inOrder = isNumber(other) || one < other;
    const ir::SymExpr guard =
        ir::SymRelation{ir::SymRelation::Kind::Equal, ir::SymExpr(inOrder ? one : other),
                        ir::SymExpr(inOrder ? other : one)}
            .guard();
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

void ShapeEnvironment::requireGuard(const ir::SymExpr& guard) {
    if (std::ranges::find(m_knownGuards, guard) == m_knownGuards.end()) {
        m_needed = guard;
        TORCH_CHECK(false, guard.text(), " must hold for the traced sizes, but does not for ",
                    symbolValues());
    }
}

void ShapeEnvironment::addGuard(const ir::SymExpr& guard) {
    const bool isKnown = std::ranges::find(m_guards, guard, &aot::RetraceGuard::expression) != m_guards.end();
    if (isKnown || alwaysHolds(guard)) {
        return;
    }
    m_guards.push_back({.expression = guard, .node = m_currentNode});
    if (onGuard) {
        onGuard(m_guards.back());
    }
}

} // namespace aotscope::torch
