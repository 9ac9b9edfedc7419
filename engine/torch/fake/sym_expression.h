#pragma once

#include "fake/sym_number.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace aotscope::torch {

/// Which symbols stand for whole numbers that the program is called with, not for sizes: they have any sign,
/// where sizes are 2 at least. Holds for this thread until it is said anew.
void setNumberSymbols(std::set<std::string, std::less<>> symbols);
/// Whether a name is that of a symbol for a size.
[[nodiscard]] bool isSizeSymbol(std::string_view name);

/// A symbolic number in normal form: a polynomial over atoms, which are symbols (`s77`) and applications of
/// functions that do not simplify (`(s77//2)`, `Max(1, s77)`). Prints as sympy does in PyTorch's logs.
/// Equal expressions have equal texts.
class SymExpression {
public:
    SymExpression() = default;
    explicit SymExpression(std::int64_t constant);
    /// A symbol, or any text that is printed as it is.
    [[nodiscard]] static SymExpression atom(std::string text);
    [[nodiscard]] static SymExpression real(double number);

    /// A whole number that it is.
    [[nodiscard]] std::optional<std::int64_t> constant() const;
    [[nodiscard]] std::string text() const;
    /// Known to be no less whatever its symbols, by what sympy can tell (positive integers): not all that is
    /// true.
    [[nodiscard]] bool isAtLeast(std::int64_t least) const;
    /// The least and the most it can be for the ranges of its symbols; nothing where they do not tell.
    using Range = std::pair<std::optional<std::int64_t>, std::optional<std::int64_t>>;
    using SymbolRanges = std::function<Range(const std::string& symbol)>;
    [[nodiscard]] Range range(const SymbolRanges& rangeOf) const;
    /// Where it is 0: a symbol, with the number or other symbol that it then is (`s0` and `8`, of `2*s0 -
    /// 16`). Nothing where that leaves more than one symbol open.
    [[nodiscard]] std::optional<std::pair<std::string, std::string>> solvedForZero() const;
    /// Names that occur in it, in functions too.
    [[nodiscard]] std::vector<std::string> symbols() const;

    friend SymExpression operator+(const SymExpression& left, const SymExpression& right);
    friend SymExpression operator-(const SymExpression& left, const SymExpression& right);
    friend SymExpression operator*(const SymExpression& left, const SymExpression& right);
    [[nodiscard]] static SymExpression floorDivide(const SymExpression& left, const SymExpression& right);
    /// `knownNonnegative`: guards say of both what they do not say of themselves.
    [[nodiscard]] static SymExpression modulo(const SymExpression& left, const SymExpression& right,
                                              bool knownNonnegative);
    [[nodiscard]] static SymExpression minimum(const SymExpression& left, const SymExpression& right);
    [[nodiscard]] static SymExpression maximum(const SymExpression& left, const SymExpression& right);
    /// Any other function, which does not simplify: "FloatPow", "TruncToInt"…
    [[nodiscard]] static SymExpression call(const std::string& name, std::vector<SymExpression> arguments);

private:
    /// Powers by atom.
    using Monomial = std::map<std::string, std::int64_t>;
    enum class Sign : std::uint8_t { Unknown, Nonnegative, Positive };

    /// A sum as one factor of a product, anything else as it is; and the other way round for a sum that is
    /// left alone with a number.
    [[nodiscard]] SymExpression asFactor() const;
    [[nodiscard]] SymExpression withoutLoneFactor() const;
    /// The atom that it is, once and alone.
    [[nodiscard]] const std::string* loneAtom() const;
    void add(const Monomial& monomial, const SymNumber& coefficient);
    /// What sympy can tell of the sign of an atom from its parts.
    [[nodiscard]] static Sign signOf(const std::string& atom);
    /// As an operand of a floor division: in parentheses unless it is one symbol, number or extreme.
    [[nodiscard]] std::string operand() const;
    /// The quotient when every term divides exactly by a single-term divisor.
    [[nodiscard]] static std::optional<SymExpression> exactQuotient(const SymExpression& left,
                                                                    const SymExpression& right);
    /// What a dividend and a divisor have in common, as sympy looks for it.
    [[nodiscard]] static SymExpression commonFactor(const SymExpression& left, const SymExpression& right);
    /// Terms in the order sympy prints them.
    [[nodiscard]] std::vector<std::pair<Monomial, SymNumber>> orderedTerms() const;
    [[nodiscard]] static std::string termText(const Monomial& monomial, const SymNumber& coefficient);

    std::map<Monomial, SymNumber> m_terms;
};

} // namespace aotscope::torch
