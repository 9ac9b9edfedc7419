#pragma once

#include <cstdint>
#include <string>

namespace aotscope::torch {

/// A float as sympy prints it alone: 15 digits, with an exponent from 1.0e+15 on and below 0.0001.
[[nodiscard]] std::string sympyFloat(double number);
/// The same as part of an expression, without zeros at the end.
[[nodiscard]] std::string trimmedFloat(const std::string& decimal);

/// What a term of an expression is multiplied by: whole numbers stay whole until they meet a float.
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
    /// Of a whole number.
    [[nodiscard]] std::int64_t whole() const { return m_whole; }
    [[nodiscard]] double value() const { return m_isReal ? m_real : static_cast<double>(m_whole); }
    [[nodiscard]] bool isZero() const { return value() == 0; }
    [[nodiscard]] bool isNegative() const { return value() < 0; }
    /// A float of that value is something else.
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
