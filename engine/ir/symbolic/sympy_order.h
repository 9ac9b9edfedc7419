#pragma once

#include <compare>

namespace aotscope::ir {

struct SymExprNode;
class SymAtom;
class SymExpr;

/// How sympy orders expressions (`default_sort_key`): numbers, symbols by name, products, sums, functions
/// by name, minima and maxima; within a kind by their parts.
[[nodiscard]] std::weak_ordering sympyOrder(const SymExprNode& left, const SymExprNode& right);

/// Whether sympy orders one before another among the factors of a product. Text that cannot be parsed counts
/// as a symbol.
[[nodiscard]] bool comesBefore(const SymAtom& left, const SymAtom& right);
[[nodiscard]] bool comesBefore(const SymExpr& left, const SymExpr& right);

} // namespace aotscope::ir
