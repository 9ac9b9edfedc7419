#pragma once

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

/// A float as sympy prints it alone: 15 digits, with an exponent from 1.0e+15 on and below 0.0001.
[[nodiscard]] std::string sympyFloat(double number);
/// The same as part of an expression, without zeros at the end.
[[nodiscard]] std::string trimmedFloat(const std::string& decimal);

/// A symbolic integer in normal form: a polynomial over atoms, which are symbols (`s77`) and applications of
/// functions that do not simplify (`(s77//2)`, `Max(1, s77)`). Prints as sympy does in PyTorch's logs.
/// Equal expressions have equal texts.
class SymExpression {
public:
    SymExpression() = default;
    explicit SymExpression(std::int64_t constant);
    /// A symbol, or any text that is printed as it is.
    [[nodiscard]] static SymExpression atom(std::string text);

    [[nodiscard]] std::optional<std::int64_t> constant() const;
    [[nodiscard]] std::string text() const;
    /// Known to be no less whatever its symbols, by what sympy can tell (positive integers): not all that is
    /// true.
    [[nodiscard]] bool isAtLeast(std::int64_t least) const;
    /// The least it can be for the ranges of its symbols; nothing where they do not tell, or where it is no
    /// sum of symbols times numbers.
    using Range = std::pair<std::optional<std::int64_t>, std::optional<std::int64_t>>;
    [[nodiscard]] std::optional<std::int64_t>
    leastOf(const std::function<Range(const std::string& symbol)>& rangeOf) const;
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

private:
    /// Powers by atom.
    using Monomial = std::map<std::string, std::int64_t>;

    /// A sum as one factor of a product, anything else as it is; and the other way round for a sum that is
    /// left alone with a number.
    [[nodiscard]] SymExpression asFactor() const;
    [[nodiscard]] SymExpression withoutLoneFactor() const;
    [[nodiscard]] static SymExpression extreme(const std::string& name, const SymExpression& left,
                                               const SymExpression& right);
    void add(const Monomial& monomial, std::int64_t coefficient);
    /// As an operand of a floor division: in parentheses unless it is one symbol, number or call.
    [[nodiscard]] std::string operand() const;
    /// The quotient when every term divides exactly by a single-term divisor.
    [[nodiscard]] static std::optional<SymExpression> exactQuotient(const SymExpression& left,
                                                                    const SymExpression& right);
    /// What a dividend and a divisor have in common, as sympy looks for it.
    [[nodiscard]] static SymExpression commonFactor(const SymExpression& left, const SymExpression& right);
    /// A number alone, a float as an atom.
    [[nodiscard]] static bool isNumber(const Monomial& monomial);
    /// Terms in the order sympy prints them.
    [[nodiscard]] std::vector<std::pair<Monomial, std::int64_t>> orderedTerms() const;
    [[nodiscard]] static std::string termText(const Monomial& monomial, std::int64_t coefficient);

    std::map<Monomial, std::int64_t> m_terms;
};

} // namespace aotscope::torch
