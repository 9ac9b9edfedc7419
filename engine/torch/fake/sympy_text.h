#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aotscope::torch {

/// An expression in parts, in the order in which sympy prints them.
struct SympyTerm {
    enum class Kind { Number, Symbol, Product, Sum, Power, Function };
    Kind kind = Kind::Number;
    /// Of a symbol or function.
    std::string name;
    double number = 0;
    std::vector<SympyTerm> parts;
    /// Of a number: written with a point.
    bool isFloat = false;
};

[[nodiscard]] SympyTerm sympyNumber(double number);

/// Reads what sympy prints of numbers: sums of products of powers, `(a//b)`, calls. Nothing for anything
/// else.
[[nodiscard]] std::optional<SympyTerm> readSympy(std::string_view text);

} // namespace aotscope::torch
