#pragma once

#include "ir/symbolic/expression.h"

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

/// The canonical form of symbolic numbers: polynomials over symbols and functions.
namespace aotscope::ir {

/// A float as sympy prints it alone: 15 digits, with an exponent from 1.0e+15 up and below 0.0001.
[[nodiscard]] std::string sympyFloat(double number);

/// The coefficient of a term: an integer, which becomes a float once combined with a float or beyond 64 bits.
class SymNumber {
public:
    // NOLINTNEXTLINE(google-explicit-constructor): a whole number is one.
    SymNumber(std::int64_t whole = 0) : m_whole(whole) {}
    [[nodiscard]] static SymNumber real(double number) {
        SymNumber made;
        made.m_isReal = true;
        made.m_real = number;
        return made;
    }

    [[nodiscard]] bool isWhole() const { return !m_isReal; }
    /// Only for an integer.
    [[nodiscard]] std::int64_t whole() const { return m_whole; }
    [[nodiscard]] double value() const { return m_isReal ? m_real : static_cast<double>(m_whole); }
    [[nodiscard]] bool isZero() const { return value() == 0; }
    [[nodiscard]] bool isNegative() const { return value() < 0; }
    /// Whether it is this integer; a float of the same value is not.
    [[nodiscard]] bool isWhole(std::int64_t number) const { return !m_isReal && m_whole == number; }
    [[nodiscard]] std::string text() const;

    /// By kind first: a float is no integer, and texts are rounded.
    friend std::strong_ordering operator<=>(const SymNumber& left, const SymNumber& right);
    friend bool operator==(const SymNumber& left, const SymNumber& right) {
        return std::is_eq(left <=> right);
    }
    friend SymNumber operator+(const SymNumber& left, const SymNumber& right);
    friend SymNumber operator*(const SymNumber& left, const SymNumber& right);
    friend SymNumber operator-(const SymNumber& number) { return number * SymNumber(-1); }

private:
    std::int64_t m_whole = 0;
    double m_real = 0;
    bool m_isReal = false;
};

/// A function or sum that an atom of an expression stands for. The functions are those of torch 2.11,
/// torch/utils/_sympy/functions.py.
struct SymCall {
    /// "FloorDiv", "Max"…; empty: a sum that is a factor of a product. Like sympy, only a lone number is
    /// multiplied into such a sum.
    std::string name;
    std::vector<SymExpr> arguments;
};

/// One factor of a term: a symbol (`s77`), or a function or sum that does not simplify (`(s77//2)`). Atoms of
/// the same text are equal, unless floats in them differ, of which a text has 15 digits.
class SymAtom {
public:
    enum class Sign : std::uint8_t { Unknown, Nonnegative, Positive };

    /// A symbol, or any text that is to be printed unchanged, with what its name says of its sign.
    explicit SymAtom(std::string_view text, const NumberSymbols& numbers = {});
    /// A function or sum that is printed as `text`.
    SymAtom(std::string_view text, SymCall function);

    [[nodiscard]] const std::string& text() const { return written().text(); }
    [[nodiscard]] const SymExpr& written() const;
    /// Null for a symbol.
    [[nodiscard]] const SymCall* function() const;
    /// The sign that sympy derives for it: for a symbol from what it stands for, for a function from its
    /// parts.
    [[nodiscard]] Sign sign() const;
    /// Whether it is the symbol of a size.
    [[nodiscard]] bool isSize() const { return function() == nullptr && sign() == Sign::Positive; }
    [[nodiscard]] bool isSum() const { return function() != nullptr && function()->name.empty(); }

    friend std::strong_ordering operator<=>(const SymAtom& left, const SymAtom& right);
    friend bool operator==(const SymAtom& left, const SymAtom& right) { return std::is_eq(left <=> right); }

private:
    struct Data;
    /// Shared, so that a copy of an expression is cheap.
    std::shared_ptr<const Data> m_data;
};

/// Exponents by atom.
using SymMonomial = std::map<SymAtom, std::int64_t>;

/// Coefficients by product of atoms, none of them 0 but for a lone float.
struct SymTerms : std::map<SymMonomial, SymNumber> {
    SymTerms() = default;
    explicit SymTerms(const SymNumber& number);
    explicit SymTerms(std::int64_t number) { add({}, number); }
    explicit SymTerms(SymAtom atom) { add({{std::move(atom), 1}}, 1); }

    void add(const SymMonomial& monomial, const SymNumber& coefficient);
    /// The atom, if they are exactly one; else null.
    [[nodiscard]] const SymAtom* loneAtom() const;
    /// As sympy prints it.
    [[nodiscard]] std::string text() const;
};

/// Whether sympy orders one before another among the factors of a product (`default_sort_key`): numbers,
/// symbols by name, products, sums, functions by name, minima and maxima; within a kind by their parts. Text
/// that cannot be parsed counts as a symbol.
[[nodiscard]] bool comesBefore(const SymExpr& left, const SymExpr& right);

/// A sum as a single atom, so that it can be a factor of a product.
[[nodiscard]] SymTerms asFactor(const SymExpr& expression);

} // namespace aotscope::ir
