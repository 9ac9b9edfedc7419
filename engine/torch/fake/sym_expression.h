#pragma once

#include "fake/sym_number.h"

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace aotscope::torch {

/// Names of symbols for integer inputs of a program. They look like those of sizes (`s77`), but may have any
/// sign.
using NumberSymbols = std::set<std::string, std::less<>>;
/// Whether the name is that of a size (`s77`), which is at least 2.
[[nodiscard]] bool isSizeSymbol(std::string_view name, const NumberSymbols& numbers);

struct SymFunction;
struct SympyKey;

/// One factor of a term: a symbol (`s77`), or a function or sum that does not simplify (`(s77//2)`). Atoms of
/// the same text are equal.
class SymAtom {
public:
    enum class Sign : std::uint8_t { Unknown, Nonnegative, Positive };

    /// A symbol, or any text that is to be printed unchanged, with what its name tells of its sign.
    explicit SymAtom(std::string text, const NumberSymbols& numbers = {});
    /// A function or sum that is printed as `text`.
    SymAtom(std::string text, SymFunction function);

    [[nodiscard]] const std::string& text() const;
    /// Null for a symbol.
    [[nodiscard]] const SymFunction* function() const;
    /// The sign that sympy derives for it: for a symbol from what it stands for, for a function from its
    /// parts.
    [[nodiscard]] Sign sign() const;
    /// Whether it is the symbol of a size.
    [[nodiscard]] bool isSize() const { return function() == nullptr && sign() == Sign::Positive; }
    /// Its place among the factors of a product.
    [[nodiscard]] const SympyKey& key() const;

    friend std::strong_ordering operator<=>(const SymAtom& left, const SymAtom& right);
    friend bool operator==(const SymAtom& left, const SymAtom& right) { return std::is_eq(left <=> right); }

private:
    struct Data;
    /// Shared, so that a copy of an expression is cheap.
    std::shared_ptr<const Data> m_data;
};

/// A symbolic number in normal form: a polynomial over atoms. Prints as sympy does in PyTorch's logs; equal
/// expressions print the same text. The functions follow torch 2.11, torch/utils/_sympy/functions.py:
/// FloorDiv, Mod, PythonMod, Min, Max.
class SymExpression {
public:
    SymExpression() = default;
    explicit SymExpression(std::int64_t constant);
    explicit SymExpression(SymAtom atom);
    /// A symbol, or any text that is to be printed unchanged.
    [[nodiscard]] static SymExpression atom(std::string text, const NumberSymbols& numbers = {});
    [[nodiscard]] static SymExpression real(double number);

    /// Its value if it is an integer without symbols.
    [[nodiscard]] std::optional<std::int64_t> constant() const;
    /// The function, if the expression is exactly one; else null.
    [[nodiscard]] const SymFunction* function() const;
    [[nodiscard]] std::string text() const;
    /// Whether it is at least `least` for all values of its symbols, as far as sympy's assumptions (positive,
    /// nonnegative) show it. May miss true bounds.
    [[nodiscard]] bool isAtLeast(std::int64_t least) const;
    /// Its least and greatest value for these ranges of its symbols; nothing where unbounded or unknown.
    /// Follows torch 2.11, torch/utils/_sympy/value_ranges.py: bound_sympy.
    using Range = std::pair<std::optional<std::int64_t>, std::optional<std::int64_t>>;
    using SymbolRanges = std::function<Range(const SymAtom& symbol)>;
    [[nodiscard]] Range range(const SymbolRanges& rangeOf) const;
    /// Solves `expression == 0` for a symbol: the symbol and the number or other symbol it equals (`2*s0 -
    /// 16`: `s0` and `8`). Nothing if it has no such solution.
    [[nodiscard]] std::optional<std::pair<std::string, std::string>> solvedForZero() const;
    /// The names in its text: symbols and functions, each as often as it occurs.
    [[nodiscard]] std::vector<std::string> symbols() const;

    friend SymExpression operator+(const SymExpression& left, const SymExpression& right);
    friend SymExpression operator-(const SymExpression& left, const SymExpression& right);
    friend SymExpression operator*(const SymExpression& left, const SymExpression& right);
    [[nodiscard]] static SymExpression floorDivide(const SymExpression& left, const SymExpression& right);
    /// `knownNonnegative`: guards show that both operands are nonnegative where their symbols alone do not.
    [[nodiscard]] static SymExpression modulo(const SymExpression& left, const SymExpression& right,
                                              bool knownNonnegative);
    [[nodiscard]] static SymExpression minimum(const SymExpression& left, const SymExpression& right);
    [[nodiscard]] static SymExpression maximum(const SymExpression& left, const SymExpression& right);
    /// Any function that does not simplify: "FloatPow", "TruncToInt"…
    [[nodiscard]] static SymExpression call(const std::string& name, std::vector<SymExpression> arguments);

private:
    /// Exponents by atom.
    using Monomial = std::map<SymAtom, std::int64_t>;

    /// `asFactor` turns a sum into a single atom, so that it can be a factor of a product.
    /// `withoutLoneFactor` undoes it for a sum that is multiplied by nothing but a number.
    [[nodiscard]] SymExpression asFactor() const;
    [[nodiscard]] SymExpression withoutLoneFactor() const;
    /// The atom, if the expression is exactly one atom.
    [[nodiscard]] const SymAtom* loneAtom() const;
    void add(const Monomial& monomial, const SymNumber& coefficient);
    /// Its text as an operand of a floor division: in parentheses unless it is one symbol, number, minimum or
    /// maximum.
    [[nodiscard]] std::string operand() const;
    /// The quotient if the divisor has one term that divides every term exactly.
    [[nodiscard]] static std::optional<SymExpression> exactQuotient(const SymExpression& left,
                                                                    const SymExpression& right);
    /// The common factor that a floor division cancels. Follows torch 2.11, torch/utils/_sympy/functions.py:
    /// simple_floordiv_gcd.
    [[nodiscard]] static SymExpression commonFactor(const SymExpression& left, const SymExpression& right);
    /// The terms in sympy's print order.
    [[nodiscard]] std::vector<std::pair<Monomial, SymNumber>> orderedTerms() const;
    [[nodiscard]] static std::string termText(const Monomial& monomial, const SymNumber& coefficient);

    std::map<Monomial, SymNumber> m_terms;
};

} // namespace aotscope::torch
