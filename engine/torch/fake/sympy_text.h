#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aotscope::torch {

/// A parsed expression; its parts are in sympy's print order.
struct SympyTerm {
    enum class Kind { Number, Symbol, Product, Sum, Power, Function };
    Kind kind = Kind::Number;
    /// The name of a symbol or function.
    std::string name;
    double number = 0;
    std::vector<SympyTerm> parts;
    /// Whether a number was written with a decimal point.
    bool isFloat = false;
};

[[nodiscard]] SympyTerm sympyNumber(double number);

/// Parses what sympy prints for numbers: sums of products of powers, `(a//b)`, calls. Nothing for any other
/// text, and for brackets more than 128 deep.
[[nodiscard]] std::optional<SympyTerm> readSympy(std::string_view text);

} // namespace aotscope::torch
