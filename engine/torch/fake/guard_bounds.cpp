#include "fake/guard_bounds.h"

#include "fake/relation_text.h"

#include "base/numbers.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

namespace aotscope::torch {

namespace {

using RelationKind = SymbolRelation::Kind;

/// A number times symbols, each at least 2.
struct Product {
    std::int64_t factor = 1;
    std::vector<std::string> symbols;
};

std::optional<Product> productOf(std::string_view text, const NumberSymbols& numbers) {
    Product product;
    while (!text.empty()) {
        const std::size_t star = text.find('*');
        const std::string_view part = text.substr(0, star);
        if (const auto number = base::wholeNumber<std::int64_t>(part)) {
            if (__builtin_mul_overflow(product.factor, *number, &product.factor)) {
                return std::nullopt;
            }
        } else if (isSizeSymbol(part, numbers)) {
            product.symbols.emplace_back(part);
        } else {
            return std::nullopt;
        }
        text = star == std::string_view::npos ? std::string_view() : text.substr(star + 1);
    }
    std::sort(product.symbols.begin(), product.symbols.end());
    return product;
}

/// The least value of a product of sizes; nothing if it overflows.
std::optional<std::int64_t> least(const Product& product) {
    std::int64_t value = product.factor;
    for (std::size_t i = 0; i < product.symbols.size(); ++i) {
        if (__builtin_mul_overflow(value, std::int64_t{2}, &value)) {
            return std::nullopt;
        }
    }
    return value;
}

/// Cancels the symbols that both have.
void cancelCommon(Product& left, Product& right) {
    std::vector<std::string> onlyLeft;
    std::vector<std::string> onlyRight;
    std::set_difference(left.symbols.begin(), left.symbols.end(), right.symbols.begin(), right.symbols.end(),
                        std::back_inserter(onlyLeft));
    std::set_difference(right.symbols.begin(), right.symbols.end(), left.symbols.begin(), left.symbols.end(),
                        std::back_inserter(onlyRight));
    left.symbols = std::move(onlyLeft);
    right.symbols = std::move(onlyRight);
}

/// Whether left is greater than right for all sizes; decided only where right is a plain number.
bool alwaysGreater(const Product& left, const Product& right) {
    const auto lower = least(left);
    return left.factor > 0 && right.symbols.empty() && lower && *lower > right.factor;
}

/// Whether the two are equal whatever the sizes.
bool alwaysEqual(const Product& left, const Product& right) {
    return left.symbols.empty() && right.symbols.empty() && left.factor == right.factor;
}

bool holds(RelationKind kind, Product left, Product right) {
    cancelCommon(left, right);
    const bool greater = alwaysGreater(left, right);
    const bool smaller = alwaysGreater(right, left);
    const bool equal = alwaysEqual(left, right);
    switch (kind) {
    case RelationKind::Equal:
        return equal;
    case RelationKind::NotEqual:
        return greater || smaller;
    case RelationKind::Less:
        return smaller;
    case RelationKind::LessEqual:
        return smaller || equal;
    case RelationKind::Greater:
        return greater;
    case RelationKind::GreaterEqual:
        return greater || equal;
    }
    return false;
}

} // namespace

bool holdsForAllSizes(std::string_view guard, const NumberSymbols& numbers) {
    const auto sides = relationSides(guard);
    if (!sides) {
        return false;
    }
    const auto left = productOf(sides->left, numbers);
    const auto right = productOf(sides->right, numbers);
    return left && right && holds(sides->kind, *left, *right);
}

} // namespace aotscope::torch
