#include "fake/shape_environment.h"

#include "ir/symbolic/terms.h"

#include <algorithm>
#include <array>

/// Conditions that are answered without the values of symbols.
namespace aotscope::torch {

namespace {

using Answer = std::optional<bool>;
using Relation = ir::SymRelation::Kind;

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
std::optional<Relation> askedBy(const SymProvenance& made) {
    const auto* found = std::ranges::find(comparisons, made.operation, &Comparison::operation);
    const auto isInt = [](const c10::SymNode& node) {
        return SymbolicNode::of(node).kind() == SymbolicNode::Kind::Int;
    };
    return found == comparisons.end() || !std::ranges::all_of(made.operands, isInt)
               ? std::nullopt
               : std::optional(found->relation);
}

Answer conjunction(Answer left, Answer right) {
    return left == false || right == false ? Answer(false) : left && right ? Answer(true) : std::nullopt;
}

} // namespace

void ShapeEnvironment::takeAsserted(std::vector<ir::SymExpr> asserted) {
    const auto isInteger = [&](const std::string& symbol) {
        return ir::isSizeSymbol(symbol, m_numberSymbols) || symbol.starts_with('u');
    };
    for (const ir::SymExpr& condition : asserted) {
        if (!std::ranges::all_of(condition.symbols(), isInteger)) {
            continue;
        }
        const auto relation = ir::relationOf(condition);
        const auto left = relation ? relation->left.canonical(m_numberSymbols) : std::nullopt;
        const auto right = relation ? relation->right.canonical(m_numberSymbols) : std::nullopt;
        if (left && right) {
            m_assertions.push_back({relation->kind, *left - *right});
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
    if (const auto relation = askedBy(node->provenance())) {
        m_assertions.push_back({*relation, SymbolicNode::of(operands[0]).expression() -
                                               SymbolicNode::of(operands[1]).expression()});
    }
}

ir::SymRange ShapeEnvironment::assertedRange(const ir::SymExpr& number) const {
    ir::SymRange range;
    for (const Assertion& known : m_assertions) {
        // An assertion tells of every number that differs from its own, or from the negative of that, by a
        // constant.
        const ir::SymRange implied = ir::SymRange::of(known.relation, 0);
        if (const auto apart = (number - known.number).constant()) {
            range = range & (implied + ir::SymRange{apart, apart});
        }
        if (const auto apart = (number + known.number).constant()) {
            range = range & (-implied + ir::SymRange{apart, apart});
        }
    }
    return range;
}

ir::SymRange ShapeEnvironment::rangeOf(const ir::SymExpr& number) const {
    return number.range([&](const ir::SymAtom& symbol) -> ir::SymRange {
        const auto found = m_unbacked.find(symbol.text());
        if (found != m_unbacked.end()) {
            return found->second & assertedRange(ir::SymExpr(ir::SymTerms(symbol)));
        }
        // 0 and 1 are specialized.
        const std::optional<std::int64_t> known = m_known.range(symbol.text()).least;
        return {symbol.isSize() ? std::max<std::int64_t>(known.value_or(2), 2) : known, std::nullopt};
    });
}

std::optional<bool> ShapeEnvironment::staticComparison(Relation relation, const ir::SymExpr& number) const {
    const bool asksForZero = relation == Relation::Equal || relation == Relation::NotEqual;
    const auto isAssertedUnequal = [&](const Assertion& known) {
        return known.relation == Relation::NotEqual &&
               ((number - known.number).constant() == 0 || (number + known.number).constant() == 0);
    };
    if (asksForZero && std::ranges::any_of(m_assertions, isAssertedUnequal)) {
        return relation == Relation::NotEqual;
    }
    return (rangeOf(number) & assertedRange(number)).compared(relation);
}

std::optional<bool> ShapeEnvironment::staticAnswer(const SymbolicNode& condition) const {
    const std::string& text = condition.expression().text();
    if (text == "True" || text == "False") {
        return text == "True";
    }
    const SymProvenance& made = condition.provenance();
    if (made.operands.size() == 1 && made.operation == "sym_not") {
        return ir::opposite(staticAnswer(SymbolicNode::of(made.operands[0])));
    }
    if (made.operands.size() == 2) {
        const SymbolicNode& left = SymbolicNode::of(made.operands[0]);
        const SymbolicNode& right = SymbolicNode::of(made.operands[1]);
        if (made.operation == "and_") {
            return conjunction(staticAnswer(left), staticAnswer(right));
        }
        if (made.operation == "or_") {
            return ir::opposite(
                conjunction(ir::opposite(staticAnswer(left)), ir::opposite(staticAnswer(right))));
        }
        if (const auto relation = askedBy(made)) {
            if (const auto answer = staticComparison(*relation, left.expression() - right.expression())) {
                return answer;
            }
        }
    }
    return text.empty()                                        ? std::nullopt
           : alwaysHolds(condition.expression())               ? std::optional(true)
           : alwaysHolds(ir::negation(condition.expression())) ? std::optional(false)
                                                               : std::nullopt;
}

} // namespace aotscope::torch
