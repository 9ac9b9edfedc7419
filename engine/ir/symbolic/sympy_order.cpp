#include "ir/symbolic/terms.h"
#include "ir/symbolic/tree.h"

#include <cstddef>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>

namespace aotscope::ir {

namespace {

/// A term as sympy compares it: a number times a power.
struct SympyTerm {
    std::pair<int, int> rank = {};
    std::string_view className = {};
    std::string_view symbol = {};
    std::span<const SymExprNode> parts = {};
    /// Null: 1.
    const SymExprNode* exponent = nullptr;
    double coefficient = 1;
};

double numberOf(const SymExprNode& node) {
    return std::visit([](auto number) { return static_cast<double>(number); }, node.constant);
}

/// A term without a leading number.
SympyTerm plainTerm(const SymExprNode& node) {
    SympyTerm term;
    const SymExprNode* base = &node;
    if (node.function == SymFunction::Power && node.name.empty()) {
        base = &node.children[0];
        term.exponent = &node.children[1];
    }
    term.parts = base->children;
    term.className = base->name;
    if (base->isNumber()) {
        return {{1, 0}, "Number", {}, {}, nullptr, numberOf(*base)};
    }
    if (base->function == SymFunction::Symbol || base->function == SymFunction::Constant) {
        return {{2, 0}, "Symbol", base->name, {}, term.exponent};
    }
    if (!base->name.empty()) {
        // Functions of a fixed number of arguments come after others; for sympy, minima and maxima are no
        // functions.
        const bool extreme = base->name == "Max" || base->name == "Min";
        term.rank = extreme ? std::pair(5, 0) : std::pair(4, 10000);
        return term;
    }
    switch (base->function) {
    case SymFunction::Multiply:
        term.rank = {3, 0};
        break;
    case SymFunction::Add:
        term.rank = {3, 1};
        break;
    case SymFunction::Power:
        term.rank = {3, 2};
        break;
    default:
        term.rank = {4, 10000};
        term.className = base->function == SymFunction::FloorDivide ? "FloorDiv" : "";
        break;
    }
    return term;
}

SympyTerm termOf(const SymExprNode& node) {
    if (node.function == SymFunction::Negate) {
        SympyTerm term = termOf(node.children.front());
        term.coefficient = -term.coefficient;
        return term;
    }
    const bool isProduct = node.function == SymFunction::Multiply && node.name.empty();
    if (!isProduct || !node.children.front().isNumber()) {
        return plainTerm(node);
    }
    SympyTerm term = plainTerm(node.children.size() == 2 ? node.children.back() : node);
    if (node.children.size() > 2) {
        term.parts = term.parts.subspan(1);
    }
    term.coefficient = numberOf(node.children.front());
    return term;
}

std::weak_ordering order(const SympyTerm& left, const SympyTerm& right);

std::weak_ordering orderOfExponents(const SymExprNode* left, const SymExprNode* right) {
    SympyTerm one{.rank = {1, 0}, .className = "Number"};
    return left == right
               ? std::weak_ordering::equivalent
               : order(left == nullptr ? one : termOf(*left), right == nullptr ? one : termOf(*right));
}

std::weak_ordering order(const SympyTerm& left, const SympyTerm& right) {
    if (const auto kinds = std::tie(left.rank, left.className, left.symbol) <=>
                           std::tie(right.rank, right.className, right.symbol);
        std::is_neq(kinds)) {
        return kinds;
    }
    if (left.parts.size() != right.parts.size()) {
        return left.parts.size() <=> right.parts.size();
    }
    for (std::size_t i = 0; i < left.parts.size(); ++i) {
        if (const auto parts = order(termOf(left.parts[i]), termOf(right.parts[i])); std::is_neq(parts)) {
            return parts;
        }
    }
    if (const auto exponents = orderOfExponents(left.exponent, right.exponent); std::is_neq(exponents)) {
        return exponents;
    }
    return std::weak_order(left.coefficient, right.coefficient);
}

} // namespace

bool comesBefore(const SymExpr& left, const SymExpr& right) {
    const auto term = [](const SymExpr& expression) {
        const SymExprNode* tree = expression.tree();
        return tree != nullptr
                   ? termOf(*tree)
                   : SympyTerm{.rank = {2, 0}, .className = "Symbol", .symbol = expression.text()};
    };
    return std::is_lt(order(term(left), term(right)));
}

} // namespace aotscope::ir
