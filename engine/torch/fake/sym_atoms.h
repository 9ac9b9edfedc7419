#pragma once

#include "fake/sym_expression.h"

#include <string>
#include <vector>

namespace aotscope::torch {

/// What an atom of an expression is made of, by the text that stands for it.
struct SymFunction {
    /// "FloorDiv", "Max"…; empty: a sum that is a factor of a product, which sympy multiplies out with a
    /// number and with nothing else.
    std::string name;
    std::vector<SymExpression> arguments;
};

/// Null: a symbol.
[[nodiscard]] const SymFunction* functionOf(const std::string& atom);
/// The atom of a function that is written so.
[[nodiscard]] SymExpression functionAtom(std::string text, SymFunction function);

[[nodiscard]] bool isSum(const std::string& atom);
/// Divisions and remainders are printed as something weaker than a sum: in any larger expression they get
/// parentheses besides those of their own.
[[nodiscard]] bool isWeak(const std::string& atom);
/// Symbols and extremes: never in parentheses.
[[nodiscard]] bool isStrong(const std::string& atom);

} // namespace aotscope::torch
