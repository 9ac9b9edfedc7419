#pragma once

#include "ir/symbolic/expression.h"

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// The parsed form of a symbolic expression.
namespace aotscope::ir {

/// What a node of the tree computes, whether it was written as a sympy function or as a Python operator.
enum class SymFunction : std::uint8_t {
    Constant,
    Symbol,
    Unknown,
    Add,
    Subtract,
    Multiply,
    Divide,
    FloorDivide,
    CeilDivide,
    Modulo,
    ModularIndexing,
    Power,
    Negate,
    Identity,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    And,
    Or,
    Xor,
    Not,
    Max,
    Min,
    Absolute,
    Sign,
    Floor,
    Ceiling,
    Truncate,
    TruncateToFloat,
    Round,
    RoundDecimal,
    ToFloat,
    ShiftLeft,
    ShiftRight,
    Where,
    Piecewise,
    Tuple,
    Real,
};

/// A real function of one argument: sqrt, cos, …
using RealFunction = double (*)(double);

struct SymExprNode {
    SymFunction function = SymFunction::Constant;
    /// The value of a constant.
    std::variant<std::int64_t, double, bool> constant = std::int64_t{0};
    /// The name of a symbol, of a constant that has one, or of a function as it is written; empty for a
    /// number and for an operator.
    std::string name;
    RealFunction real = nullptr;
    std::vector<SymExprNode> children;
    /// Levels of children below this node; bounded, so that recursion over a tree is safe.
    int height = 0;
    /// Where it is in the text.
    std::uint32_t begin = 0;
    std::uint32_t end = 0;

    /// A constant that is written as a number.
    [[nodiscard]] bool isNumber() const { return function == SymFunction::Constant && name.empty(); }
};

/// Errors: ir.symbol_syntax.
[[nodiscard]] base::Result<SymExprNode> parseSymbolic(std::string_view text);

/// Errors: those of SymExpr::evaluate.
[[nodiscard]] base::Result<SymbolValue> evaluateSymbolic(const SymExprNode& tree,
                                                         const SymbolBindings& bindings);

} // namespace aotscope::ir
