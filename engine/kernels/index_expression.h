#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace aotscope::kernels {

/// A sum of products of the kernel's iteration variables, of quotients and of remainders of such sums, each
/// with an integer, all sizes being known numbers: `i0 * 64 + i1 / 8 + 3`. All variables and values are at
/// least 0. Sums that mean the same usually have the same text, because quotients and remainders are
/// simplified by the ranges of the variables; where they do not, only a chance to share work is lost.
class IndexExpression {
public:
    IndexExpression(std::int64_t constant = 0) : m_constant(constant) {} // NOLINT: implicit by intent
    /// A variable with values from 0 to `size - 1`; the constant 0 if the size is 1.
    [[nodiscard]] static IndexExpression variable(const std::string& name, std::int64_t size);

    [[nodiscard]] IndexExpression operator+(const IndexExpression& other) const;
    [[nodiscard]] IndexExpression operator*(std::int64_t factor) const;
    [[nodiscard]] IndexExpression dividedBy(std::int64_t divisor) const;
    [[nodiscard]] IndexExpression modulo(std::int64_t divisor) const;

    [[nodiscard]] bool isConstant() const { return m_terms.empty(); }
    [[nodiscard]] std::int64_t smallest() const { return bound(false); }
    [[nodiscard]] std::int64_t largest() const { return bound(true); }
    /// As C++.
    [[nodiscard]] std::string text() const;
    [[nodiscard]] bool uses(std::string_view variable) const;
    /// What the variable is multiplied with; 0: it is not there, or only inside of quotients and remainders.
    [[nodiscard]] std::int64_t coefficient(std::string_view variable) const;
    /// Whether the variable occurs inside of a quotient or remainder.
    [[nodiscard]] bool hides(std::string_view variable) const;
    /// Without the term of the variable itself.
    [[nodiscard]] IndexExpression without(std::string_view variable) const;
    /// Whether the constant and all factors are multiples.
    [[nodiscard]] bool isMultipleOf(std::int64_t factor) const;
    /// Whether every number from 0 to `count - 1` is taken, by sums of plain variables alone.
    [[nodiscard]] bool covers(std::int64_t count) const;

    friend bool operator==(const IndexExpression& left, const IndexExpression& right) {
        return left.text() == right.text();
    }

private:
    struct Atom;
    struct Term {
        std::int64_t factor = 0;
        std::shared_ptr<const Atom> atom;
    };

    void add(const std::string& key, std::int64_t factor, const std::shared_ptr<const Atom>& atom);
    void joinQuotients();
    [[nodiscard]] std::int64_t bound(bool upper) const;
    [[nodiscard]] static IndexExpression ofAtom(std::shared_ptr<const Atom> atom);
    /// The quotient or remainder of this and a number.
    [[nodiscard]] IndexExpression divided(char sign, std::int64_t divisor) const;

    std::int64_t m_constant = 0;
    /// By the atom's text.
    std::map<std::string, Term> m_terms;
};

using Coordinates = std::vector<IndexExpression>;
using Sizes = std::vector<std::int64_t>;

[[nodiscard]] std::int64_t product(const Sizes& sizes);
/// The product of the sizes that are marked.
[[nodiscard]] std::int64_t countOf(const Sizes& sizes, const std::vector<bool>& marked);
/// Strides of a contiguous tensor.
[[nodiscard]] Sizes contiguousStrides(const Sizes& sizes);
/// The sum of coordinates times strides.
[[nodiscard]] IndexExpression addressOf(const Coordinates& coordinates, const Sizes& strides);
/// The coordinates, in a tensor of the sizes `to`, of the element that has these coordinates in one of the
/// sizes `from`, both counted in row-major order. They have equally many elements.
[[nodiscard]] Coordinates reshaped(const Coordinates& coordinates, const Sizes& from, const Sizes& to);
/// A text that is equal for equal coordinates.
[[nodiscard]] std::string coordinatesKey(const Coordinates& coordinates);

} // namespace aotscope::kernels
