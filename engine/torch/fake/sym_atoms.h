#pragma once

#include "fake/sym_expression.h"

#include <string>
#include <vector>

namespace aotscope::torch {

/// A function or sum that an atom of an expression stands for. The functions are those of torch 2.11,
/// torch/utils/_sympy/functions.py.
struct SymFunction {
    /// "FloorDiv", "Max"…; empty: a sum that is a factor of a product. Like sympy, only a lone number is
    /// multiplied into such a sum.
    std::string name;
    std::vector<SymExpression> arguments;
};

[[nodiscard]] bool isSum(const SymAtom& atom);
/// Divisions and remainders bind weaker than sums in sympy's printing: inside any larger expression they get
/// another pair of parentheses.
[[nodiscard]] bool isWeak(const SymAtom& atom);
/// Symbols, minima and maxima: printed without parentheses.
[[nodiscard]] bool isStrong(const SymAtom& atom);

} // namespace aotscope::torch
