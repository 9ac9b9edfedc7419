#pragma once

#include "ir/graph.h"
#include "ir/symbolic/terms.h"

#include <optional>
#include <string>
#include <vector>

namespace aotscope::passes {

/// The value of a node of symbolic arithmetic, in sympy's canonical form.
struct SymbolicValue {
    /// Empty for other nodes.
    ir::SymExpr expression;
    /// A Python float.
    bool real = false;
};

/// The symbolic values of a graph's nodes by node id index.
[[nodiscard]] std::vector<SymbolicValue> symbolicValues(const ir::Graph& graph);

/// The number that an expression without symbols is.
[[nodiscard]] std::optional<ir::SymNumber> numberOf(const ir::SymExpr& expression);
/// The outermost operation of an expression, with sympy's name and order of operands: "Add", "Mul", "Pow", or
/// a function. A number or symbol has no operands.
[[nodiscard]] ir::SymCall operationOf(const ir::SymExpr& expression);
/// A text that two expressions share if and only if they are equal; printed floats are rounded.
[[nodiscard]] std::string keyOf(const ir::SymExpr& expression);

} // namespace aotscope::passes
