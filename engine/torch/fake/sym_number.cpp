#include "fake/sym_number.h"

#include "ir/python_literal.h"

#include "base/formatted.h"

#include <algorithm>
#include <cstdlib>

namespace aotscope::torch {

std::string sympyFloat(double number) {
    constexpr int digits = 15;
    const std::string scientific = base::formatted("%.*e", digits - 1, number);
    const std::size_t at = scientific.find('e');
    if (at == std::string::npos) {
        return ir::pythonFloat(number);
    }
    const int exponent = std::stoi(scientific.substr(at + 1));
    if (exponent <= -5 || exponent >= digits) {
        return scientific.substr(0, at) + (exponent < 0 ? "e-" : "e+") + std::to_string(std::abs(exponent));
    }
    return base::formatted("%.*f", std::max(digits - 1 - exponent, 1), number);
}

std::string trimmedFloat(const std::string& decimal) {
    const std::size_t end = std::min(decimal.find('e'), decimal.size());
    std::string digits = decimal.substr(0, end);
    digits.erase(digits.find_last_not_of('0') + 1);
    return (digits.ends_with('.') ? digits + "0" : digits) + decimal.substr(end);
}

std::string SymNumber::text() const {
    return m_isReal ? trimmedFloat(sympyFloat(m_real)) : std::to_string(m_whole);
}

SymNumber operator+(const SymNumber& left, const SymNumber& right) {
    return left.m_isReal || right.m_isReal ? SymNumber::real(left.value() + right.value())
                                           : SymNumber(left.m_whole + right.m_whole);
}

SymNumber operator*(const SymNumber& left, const SymNumber& right) {
    return left.m_isReal || right.m_isReal ? SymNumber::real(left.value() * right.value())
                                           : SymNumber(left.m_whole * right.m_whole);
}

} // namespace aotscope::torch
