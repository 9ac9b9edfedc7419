#include "fake/sym_atoms.h"

#include "base/characters.h"

#include <algorithm>
#include <cctype>

namespace aotscope::torch {

bool isSizeSymbol(std::string_view name, const NumberSymbols& numbers) {
    return name.size() > 1 && name.front() == 's' &&
           std::all_of(name.begin() + 1, name.end(), base::isDigit) && !numbers.contains(name);
}

SymExpression::SymExpression(std::int64_t constant) {
    add({}, constant);
}

SymExpression::SymExpression(SymAtom atom) {
    add({{std::move(atom), 1}}, 1);
}

SymExpression SymExpression::atom(std::string text, const NumberSymbols& numbers) {
    return SymExpression(SymAtom(std::move(text), numbers));
}

SymExpression SymExpression::real(double number) {
    SymExpression expression;
    expression.m_terms[{}] = SymNumber::real(number);
    return expression;
}

std::optional<std::int64_t> SymExpression::constant() const {
    if (m_terms.empty()) {
        return 0;
    }
    const auto& [monomial, number] = *m_terms.begin();
    return m_terms.size() == 1 && monomial.empty() && number.isWhole() ? std::optional(number.whole())
                                                                       : std::nullopt;
}

const SymAtom* SymExpression::loneAtom() const {
    if (m_terms.size() != 1 || !m_terms.begin()->second.isWhole(1)) {
        return nullptr;
    }
    const Monomial& monomial = m_terms.begin()->first;
    return monomial.size() == 1 && monomial.begin()->second == 1 ? &monomial.begin()->first : nullptr;
}

const SymFunction* SymExpression::function() const {
    const SymAtom* atom = loneAtom();
    return atom == nullptr ? nullptr : atom->function();
}

std::vector<std::string> SymExpression::symbols() const {
    const auto inName = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    std::vector<std::string> names;
    for (const auto& [monomial, coefficient] : m_terms) {
        for (const auto& [atom, power] : monomial) {
            const std::string& text = atom.text();
            for (auto at = text.begin(); at != text.end();) {
                const auto end = std::find_if_not(at, text.end(), inName);
                if (end != at && std::isdigit(static_cast<unsigned char>(*at)) == 0) {
                    names.emplace_back(at, end);
                }
                at = std::find_if(end, text.end(), inName);
            }
        }
    }
    return names;
}

void SymExpression::add(const Monomial& monomial, const SymNumber& coefficient) {
    SymNumber& sum = m_terms[monomial];
    sum = sum + coefficient;
    if (sum.isZero()) {
        m_terms.erase(monomial);
    }
}

SymExpression operator+(const SymExpression& left, const SymExpression& right) {
    // A sum drops a zero, even a float one.
    const bool isZero = left.m_terms.size() == 1 && left.m_terms.begin()->second.isZero();
    SymExpression result = isZero && !right.m_terms.empty() ? SymExpression() : left;
    for (const auto& [monomial, coefficient] : right.m_terms) {
        result.add(monomial, coefficient);
    }
    return result;
}

SymExpression operator-(const SymExpression& left, const SymExpression& right) {
    SymExpression result = left;
    for (const auto& [monomial, coefficient] : right.m_terms) {
        result.add(monomial, -coefficient);
    }
    return result;
}

SymExpression operator*(const SymExpression& left, const SymExpression& right) {
    const auto isNumber = [](const SymExpression& side) {
        return side.m_terms.empty() || (side.m_terms.size() == 1 && side.m_terms.begin()->first.empty());
    };
    const bool byNumber = isNumber(left) || isNumber(right);
    const SymExpression first = byNumber ? left : left.asFactor();
    const SymExpression second = byNumber ? right : right.asFactor();
    SymExpression result;
    for (const auto& [leftMonomial, leftCoefficient] : first.m_terms) {
        for (const auto& [rightMonomial, rightCoefficient] : second.m_terms) {
            SymExpression::Monomial product = leftMonomial;
            for (const auto& [atom, power] : rightMonomial) {
                product[atom] += power;
            }
            result.add(product, leftCoefficient * rightCoefficient);
        }
    }
    return result;
}

SymExpression SymExpression::asFactor() const {
    return m_terms.size() < 2 ? *this : SymExpression(SymAtom("(" + text() + ")", {{}, {*this}}));
}

SymExpression SymExpression::withoutLoneFactor() const {
    if (m_terms.size() != 1 || m_terms.begin()->first.size() != 1) {
        return *this;
    }
    const auto& [atom, power] = *m_terms.begin()->first.begin();
    if (power != 1 || !isSum(atom)) {
        return *this;
    }
    SymExpression number;
    number.add({}, m_terms.begin()->second);
    return number * atom.function()->arguments.front();
}

std::optional<std::pair<std::string, std::string>> SymExpression::solvedForZero() const {
    if (m_terms.size() != 2) {
        return std::nullopt;
    }
    Monomial first = m_terms.begin()->first;
    SymNumber firstFactor = m_terms.begin()->second;
    Monomial second = std::next(m_terms.begin())->first;
    SymNumber secondFactor = std::next(m_terms.begin())->second;
    if (!firstFactor.isWhole() || !secondFactor.isWhole()) {
        return std::nullopt;
    }
    // Cancels sizes that are factors of both terms: they are not 0.
    for (auto shared = first.begin(); shared != first.end();) {
        const auto other = second.find(shared->first);
        const bool goes = other != second.end() && other->second == shared->second && shared->first.isSize();
        if (goes) {
            second.erase(other);
        }
        shared = goes ? first.erase(shared) : std::next(shared);
    }
    if (second.empty()) {
        std::swap(first, second);
        std::swap(firstFactor, secondFactor);
    }
    const auto isSymbol = [](const Monomial& monomial) {
        return monomial.size() == 1 && monomial.begin()->second == 1 &&
               monomial.begin()->first.text().find_first_of("( .") == std::string::npos;
    };
    // The empty monomial, a plain number, comes first.
    if (first.empty() && isSymbol(second) && firstFactor.whole() % secondFactor.whole() == 0) {
        return std::pair(second.begin()->first.text(),
                         std::to_string(-firstFactor.whole() / secondFactor.whole()));
    }
    if (isSymbol(first) && isSymbol(second) && firstFactor.whole() == -secondFactor.whole()) {
        return std::pair(first.begin()->first.text(), second.begin()->first.text());
    }
    return std::nullopt;
}

bool SymExpression::isAtLeast(std::int64_t least) const {
    // As sympy decides it: no term is negative, and neither is the remaining number, unless positive terms,
    // each at least its coefficient, make up for it.
    std::int64_t number = -least;
    std::int64_t ofSymbols = 0;
    for (const auto& [monomial, coefficient] : m_terms) {
        if (!coefficient.isWhole()) {
            return false;
        }
        if (monomial.empty()) {
            number += coefficient.whole();
            continue;
        }
        SymAtom::Sign sign = SymAtom::Sign::Positive;
        for (const auto& [atom, power] : monomial) {
            sign = std::min(sign, atom.sign());
        }
        if (coefficient.isNegative() || sign == SymAtom::Sign::Unknown) {
            return false;
        }
        ofSymbols += sign == SymAtom::Sign::Positive ? coefficient.whole() : 0;
    }
    return number >= 0 || (ofSymbols > 0 && ofSymbols + number >= 0);
}

} // namespace aotscope::torch
