#pragma once

#include <cstdint>
#include <string>

namespace aotscope::torch {

/// A float as sympy prints it alone: 15 digits, with an exponent from 1.0e+15 up and below 0.0001.
[[nodiscard]] std::string sympyFloat(double number);
/// The same inside a larger expression: without trailing zeros.
[[nodiscard]] std::string trimmedFloat(const std::string& decimal);

/// The coefficient of a term: an integer, which becomes a float once combined with a float.
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

    friend SymNumber operator+(const SymNumber& left, const SymNumber& right);
    friend SymNumber operator*(const SymNumber& left, const SymNumber& right);
    friend SymNumber operator-(const SymNumber& number) { return number * SymNumber(-1); }

private:
    std::int64_t m_whole = 0;
    double m_real = 0;
    bool m_isReal = false;
};

} // namespace aotscope::torch
