#include "ir/symbolic/relation.h"

#include "ir/symbolic/range.h"
#include "ir/symbolic/tree.h"

#include "base/trimmed.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <span>

namespace aotscope::ir {

namespace {

using Relation = SymRelation::Kind;

Relation negationOf(Relation kind) {
    constexpr Relation opposites[] = {Relation::NotEqual, Relation::Equal,     Relation::GreaterEqual,
                                      Relation::Greater,  Relation::LessEqual, Relation::Less};
    return opposites[static_cast<std::size_t>(kind)];
}

/// The same relation with its sides exchanged.
Relation mirrored(Relation kind) {
    constexpr Relation mirrors[] = {Relation::Equal,        Relation::NotEqual, Relation::Greater,
                                    Relation::GreaterEqual, Relation::Less,     Relation::LessEqual};
    return mirrors[static_cast<std::size_t>(kind)];
}

bool isSymbol(const SymExprNode& node) {
    return node.function == SymFunction::Symbol;
}

std::optional<std::int64_t> wholeNumber(const SymExprNode& node) {
    const auto* number = std::get_if<std::int64_t>(&node.constant);
    return node.isNumber() && number != nullptr ? std::optional(*number) : std::nullopt;
}

/// A bound of a symbol that a number is added to (`s0 + 2 <= 10`), solved for the symbol.
std::optional<SymbolRelation> solvedBound(Relation kind, const SymExprNode& sum, const SymExprNode& bound) {
    const auto limit = wholeNumber(bound);
    const bool isSum =
        sum.function == SymFunction::Add && sum.children.size() == 2 && isSymbol(sum.children[0]);
    const auto added = isSum ? wholeNumber(sum.children[1]) : std::nullopt;
    std::int64_t number = 0;
    if (!limit || !added || kind == Relation::Equal || kind == Relation::NotEqual ||
        __builtin_sub_overflow(*limit, *added, &number)) {
        return std::nullopt;
    }
    return SymbolRelation{kind, sum.children[0].name, {}, number};
}

/// A number times sizes.
struct SizeProduct {
    std::int64_t factor = 1;
    std::multiset<std::string> sizes;
};

std::optional<SizeProduct> productOf(const SymExprNode* tree, const NumberSymbols& numbers) {
    if (tree == nullptr) {
        return std::nullopt;
    }
    SizeProduct product;
    for (const SymExprNode& part :
         tree->function == SymFunction::Multiply ? std::span(tree->children) : std::span(tree, 1)) {
        if (const auto number = wholeNumber(part)) {
            if (__builtin_mul_overflow(product.factor, *number, &product.factor)) {
                return std::nullopt;
            }
        } else if (isSymbol(part) && isSizeSymbol(part.name, numbers)) {
            product.sizes.insert(part.name);
        } else {
            return std::nullopt;
        }
    }
    return product;
}

/// Whether left is greater than right for all sizes; decided only where right is a plain number.
bool alwaysGreater(const SizeProduct& left, const SizeProduct& right) {
    std::int64_t least = left.factor;
    for (std::size_t i = 0; i < left.sizes.size(); ++i) {
        if (__builtin_mul_overflow(least, std::int64_t{2}, &least)) {
            return false;
        }
    }
    return left.factor > 0 && right.sizes.empty() && least > right.factor;
}

/// A relation as the condition's tree has it, for questions that need no expressions of its sides.
struct TreeRelation {
    Relation kind;
    const SymExprNode* left;
    const SymExprNode* right;
};

std::optional<TreeRelation> relationIn(const SymExpr& condition) {
    const SymExprNode* node = condition.tree();
    bool isNegated = false;
    for (; node != nullptr && node->function == SymFunction::Not; node = &node->children.front()) {
        isNegated = !isNegated;
    }
    if (node == nullptr || node->function < SymFunction::Equal ||
        node->function > SymFunction::GreaterEqual) {
        return std::nullopt;
    }
    const auto kind =
        static_cast<Relation>(static_cast<int>(node->function) - static_cast<int>(SymFunction::Equal));
    return TreeRelation{isNegated ? negationOf(kind) : kind, &node->children[0], &node->children[1]};
}

} // namespace

SymExpr SymRelation::guard() const {
    constexpr std::array<std::string_view, 6> signs = {"Eq(", "Ne(", " < ", " <= ", " > ", " >= "};
    const std::string sign(signs[static_cast<std::size_t>(kind)]);
    return kind == Kind::Equal || kind == Kind::NotEqual
               ? SymExpr(sign + left.text() + ", " + right.text() + ")")
               : SymExpr(left.text() + sign + right.text());
}

SymExpr negation(const SymExpr& condition) {
    return SymExpr("Not(" + condition.text() + ")");
}

std::optional<SymRelation> relationOf(const SymExpr& condition) {
    const auto relation = relationIn(condition);
    if (!relation) {
        return std::nullopt;
    }
    const auto side = [&](const SymExprNode& part) {
        const std::string_view text = condition.text();
        return SymExpr(base::trimmed(text.substr(part.begin, part.end - part.begin)));
    };
    return SymRelation{relation->kind, side(*relation->left), side(*relation->right)};
}

std::optional<SymbolRelation> symbolRelation(const SymExpr& condition) {
    const auto relation = relationIn(condition);
    if (!relation) {
        return std::nullopt;
    }
    Relation kind = relation->kind;
    const SymExprNode* left = relation->left;
    const SymExprNode* right = relation->right;
    if (!isSymbol(*left) && isSymbol(*right)) {
        std::swap(left, right);
        kind = mirrored(kind);
    }
    if (!isSymbol(*left)) {
        const auto solved = solvedBound(kind, *left, *right);
        return solved ? solved : solvedBound(mirrored(kind), *right, *left);
    }
    if (const auto number = wholeNumber(*right)) {
        return SymbolRelation{kind, left->name, {}, *number};
    }
    return isSymbol(*right) ? std::optional(SymbolRelation{kind, left->name, right->name, 0}) : std::nullopt;
}

bool pinsFloat(const SymExpr& guard) {
    const auto relation = relationIn(guard);
    if (!relation || relation->kind != Relation::Equal) {
        return false;
    }
    const SymExprNode* right = relation->right;
    return right->isNumber() && std::holds_alternative<double>(right->constant);
}

bool holdsForAllSizes(const SymExpr& guard, const NumberSymbols& numbers) {
    const auto relation = relationIn(guard);
    auto left = relation ? productOf(relation->left, numbers) : std::nullopt;
    auto right = relation ? productOf(relation->right, numbers) : std::nullopt;
    if (!left || !right) {
        return false;
    }
    // What both have cancels out.
    std::erase_if(left->sizes, [&](const std::string& size) {
        const auto other = right->sizes.find(size);
        return other != right->sizes.end() && (right->sizes.erase(other), true);
    });
    const bool equal = left->sizes.empty() && right->sizes.empty() && left->factor == right->factor;
    const SymRange difference = alwaysGreater(*left, *right)   ? SymRange{1, std::nullopt}
                                : alwaysGreater(*right, *left) ? SymRange{std::nullopt, -1}
                                : equal                        ? SymRange{0, 0}
                                                               : SymRange();
    return difference.compared(relation->kind) == true;
}

bool KnownRanges::imply(const SymbolRelation& question) const {
    const SymRange toNumber = {-question.number, -question.number};
    return std::ranges::find(m_relations, question) != m_relations.end() ||
           (question.otherSymbol.empty() &&
            (range(question.symbol) + toNumber).compared(question.kind) == true);
}

SymRange KnownRanges::range(std::string_view symbol) const {
    SymRange range;
    for (const SymbolRelation& fact : m_relations) {
        if (fact.symbol == symbol && fact.otherSymbol.empty()) {
            range = range & SymRange::of(fact.kind, fact.number);
        }
    }
    return range;
}

} // namespace aotscope::ir
