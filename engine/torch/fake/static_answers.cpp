#include "fake/shape_environment.h"

#include "fake/read_expression.h"
#include "fake/relation_text.h"
#include "fake/sym_range.h"

#include <algorithm>
#include <array>

/// Conditions that are answered without the values of symbols.
namespace aotscope::torch {

namespace {

using Answer = std::optional<bool>;
using Relation = SymbolRelation::Kind;
using Range = SymExpression::Range;

struct Comparison {
    std::string_view operation;
    Relation relation;
};
constexpr std::array<Comparison, 6> comparisons = {{
    {"eq", Relation::Equal},
    {"ne", Relation::NotEqual},
    {"lt", Relation::Less},
    {"le", Relation::LessEqual},
    {"gt", Relation::Greater},
    {"ge", Relation::GreaterEqual},
}};

/// The relation of two integers that an operation asks for; nothing for other operations.
std::optional<Relation> relationOf(const SymProvenance& made) {
    const auto* found = std::ranges::find(comparisons, made.operation, &Comparison::operation);
    const auto isInt = [](const c10::SymNode& node) {
        return SymbolicNode::of(node).kind() == SymbolicNode::Kind::Int;
    };
    return found == comparisons.end() || !std::ranges::all_of(made.operands, isInt)
               ? std::nullopt
               : std::optional(found->relation);
}

Answer opposite(Answer answer) {
    return answer ? Answer(!*answer) : std::nullopt;
}

Answer conjunction(Answer left, Answer right) {
    return left == false || right == false ? Answer(false) : left && right ? Answer(true) : std::nullopt;
}

/// Whether a number within this range is less than 0.
Answer isNegative(const Range& range) {
    return range.second && *range.second < 0  ? Answer(true)
           : range.first && *range.first >= 0 ? Answer(false)
                                              : std::nullopt;
}

Answer isZero(const Range& range) {
    return (range.first && *range.first > 0) || (range.second && *range.second < 0) ? Answer(false)
           : range.first == 0 && range.second == 0                                  ? Answer(true)
                                                                                    : std::nullopt;
}

/// Whether a number within this range has the relation to 0.
Answer compared(Relation relation, const Range& range) {
    switch (relation) {
    case Relation::Equal:
        return isZero(range);
    case Relation::NotEqual:
        return opposite(isZero(range));
    case Relation::Less:
        return isNegative(range);
    case Relation::GreaterEqual:
        return opposite(isNegative(range));
    case Relation::Greater:
        return isNegative(negated(range));
    case Relation::LessEqual:
        return opposite(isNegative(negated(range)));
    }
    return std::nullopt;
}

/// What an asserted relation of a number to 0 says of that number.
Range impliedBy(Relation relation) {
    return relation == Relation::Equal          ? Range{0, 0}
           : relation == Relation::Greater      ? Range{1, std::nullopt}
           : relation == Relation::GreaterEqual ? Range{0, std::nullopt}
           : relation == Relation::Less         ? Range{std::nullopt, -1}
           : relation == Relation::LessEqual    ? Range{std::nullopt, 0}
                                                : Range{};
}

Range intersection(const Range& left, const Range& right) {
    return {std::max(left.first, right.first), left.second && right.second
                                                   ? std::min(left.second, right.second)
                                               : left.second ? left.second
                                                             : right.second};
}

} // namespace

void ShapeEnvironment::takeAsserted(std::vector<ir::SymExpr> asserted) {
    const auto isInteger = [&](const std::string& symbol) {
        return isSizeSymbol(symbol, m_numberSymbols) || symbol.starts_with('u');
    };
    for (const ir::SymExpr& condition : asserted) {
        if (!std::ranges::all_of(condition.symbols(), isInteger)) {
            continue;
        }
        const std::string text(condition.text());
        const auto sides = relationSides(text);
        const auto left = sides ? readExpression(sides->left, m_numberSymbols) : std::nullopt;
        const auto right = sides ? readExpression(sides->right, m_numberSymbols) : std::nullopt;
        if (left && right) {
            m_assertions.push_back({sides->kind, *left - *right});
        }
    }
    m_asserted = std::move(asserted);
}

void ShapeEnvironment::assume(const c10::SymNode& condition) {
    const auto* node = dynamic_cast<const SymbolicNode*>(condition.get());
    if (node == nullptr || node->provenance().operands.size() != 2) {
        return;
    }
    const std::vector<c10::SymNode>& operands = node->provenance().operands;
    if (const auto relation = relationOf(node->provenance())) {
        m_assertions.push_back({*relation, SymbolicNode::of(operands[0]).expression() -
                                               SymbolicNode::of(operands[1]).expression()});
    }
}

SymExpression::Range ShapeEnvironment::assertedRange(const SymExpression& number) const {
    Range range;
    for (const Assertion& known : m_assertions) {
        // An assertion tells of every number that differs from its own, or from the negative of that, by a
        // constant.
        const Range implied = impliedBy(known.relation);
        if (const auto apart = (number - known.number).constant()) {
            range = intersection(range, sum(implied, {apart, apart}));
        }
        if (const auto apart = (number + known.number).constant()) {
            range = intersection(range, sum(negated(implied), {apart, apart}));
        }
    }
    return range;
}

SymExpression::Range ShapeEnvironment::rangeOf(const SymExpression& number) const {
    return number.range([&](const SymAtom& symbol) -> Range {
        const auto found = m_unbacked.find(symbol.text());
        if (found != m_unbacked.end()) {
            return intersection({found->second.least, found->second.most},
                                assertedRange(SymExpression(symbol)));
        }
        // 0 and 1 are specialized.
        const std::optional<std::int64_t> known = m_known.least(symbol.text());
        return {symbol.isSize() ? std::max<std::int64_t>(known.value_or(2), 2) : known, std::nullopt};
    });
}

std::optional<bool> ShapeEnvironment::staticComparison(Relation relation, const SymExpression& number) const {
    const bool asksForZero = relation == Relation::Equal || relation == Relation::NotEqual;
    const auto isAssertedUnequal = [&](const Assertion& known) {
        return known.relation == Relation::NotEqual &&
               ((number - known.number).constant() == 0 || (number + known.number).constant() == 0);
    };
    if (asksForZero && std::ranges::any_of(m_assertions, isAssertedUnequal)) {
        return relation == Relation::NotEqual;
    }
    return compared(relation, intersection(rangeOf(number), assertedRange(number)));
}

std::optional<bool> ShapeEnvironment::staticAnswer(const SymbolicNode& condition) const {
    const std::string text = condition.expression().text();
    if (text == "True" || text == "False") {
        return text == "True";
    }
    const SymProvenance& made = condition.provenance();
    if (made.operands.size() == 1 && made.operation == "sym_not") {
        return opposite(staticAnswer(SymbolicNode::of(made.operands[0])));
    }
    if (made.operands.size() == 2) {
        const SymbolicNode& left = SymbolicNode::of(made.operands[0]);
        const SymbolicNode& right = SymbolicNode::of(made.operands[1]);
        if (made.operation == "and_") {
            return conjunction(staticAnswer(left), staticAnswer(right));
        }
        if (made.operation == "or_") {
            return opposite(conjunction(opposite(staticAnswer(left)), opposite(staticAnswer(right))));
        }
        if (const auto relation = relationOf(made)) {
            if (const auto answer = staticComparison(*relation, left.expression() - right.expression())) {
                return answer;
            }
        }
    }
    return text.empty()                       ? std::nullopt
           : alwaysHolds(text)                ? std::optional(true)
           : alwaysHolds("Not(" + text + ")") ? std::optional(false)
                                              : std::nullopt;
}

} // namespace aotscope::torch
