#include "ir/cursor.h"
#include "ir/symbolic/terms.h"

#include <algorithm>
#include <iterator>

namespace aotscope::ir {

namespace {

bool isPlainNumber(const SymTerms& terms) {
    return terms.empty() || (terms.size() == 1 && terms.begin()->first.empty());
}

} // namespace

std::optional<std::int64_t> SymExpr::constant() const {
    const SymTerms& all = terms();
    if (all.empty()) {
        return 0;
    }
    const SymNumber& number = all.begin()->second;
    return isPlainNumber(all) && number.isWhole() ? std::optional(number.whole()) : std::nullopt;
}

bool SymExpr::anySymbol(const std::function<bool(const std::string&)>& test) const {
    const auto passes = [&](const auto& factor) {
        const SymAtom& atom = factor.first;
        if (const SymCall* function = atom.function()) {
            return std::ranges::any_of(function->arguments,
                                       [&](const SymExpr& argument) { return argument.anySymbol(test); });
        }
        return isIdentifier(atom.text()) ? test(atom.text())
                                         : std::ranges::any_of(atom.written().symbols(), test);
    };
    return std::ranges::any_of(terms(),
                               [&](const auto& term) { return std::ranges::any_of(term.first, passes); });
}

const SymCall* SymExpr::function() const {
    const SymAtom* atom = terms().loneAtom();
    return atom == nullptr ? nullptr : atom->function();
}

SymExpr operator+(const SymExpr& left, const SymExpr& right) {
    const SymTerms& terms = left.terms();
    // A sum drops a zero, even a float one.
    const bool isZero = terms.size() == 1 && terms.begin()->second.isZero();
    SymTerms result = isZero && !right.terms().empty() ? SymTerms() : terms;
    for (const auto& [monomial, coefficient] : right.terms()) {
        result.add(monomial, coefficient);
    }
    return SymExpr(std::move(result));
}

SymExpr operator-(const SymExpr& left, const SymExpr& right) {
    SymTerms result = left.terms();
    for (const auto& [monomial, coefficient] : right.terms()) {
        result.add(monomial, -coefficient);
    }
    return SymExpr(std::move(result));
}

SymExpr operator*(const SymExpr& left, const SymExpr& right) {
    const bool byNumber = isPlainNumber(left.terms()) || isPlainNumber(right.terms());
    const SymTerms first = byNumber ? left.terms() : asFactor(left);
    const SymTerms second = byNumber ? right.terms() : asFactor(right);
    SymTerms result;
    for (const auto& [leftMonomial, leftCoefficient] : first) {
        for (const auto& [rightMonomial, rightCoefficient] : second) {
            SymMonomial product = leftMonomial;
            for (const auto& [atom, power] : rightMonomial) {
                product[atom] += power;
            }
            result.add(product, leftCoefficient * rightCoefficient);
        }
    }
    return SymExpr(std::move(result));
}

SymTerms asFactor(const SymExpr& expression) {
    return expression.terms().size() < 2
               ? expression.terms()
               : SymTerms(SymAtom("(" + expression.text() + ")", {{}, {expression}}));
}

std::optional<std::pair<std::string, std::string>> SymExpr::solvedForZero() const {
    if (terms().size() != 2) {
        return std::nullopt;
    }
    std::pair<SymMonomial, SymNumber> one = *terms().begin();
    std::pair<SymMonomial, SymNumber> other = *std::next(terms().begin());
    auto& [first, firstFactor] = one;
    auto& [second, secondFactor] = other;
    if (!firstFactor.isWhole() || !secondFactor.isWhole()) {
        return std::nullopt;
    }
    // Cancels sizes that are factors of both terms: they are not 0.
    std::erase_if(first, [&other](const auto& shared) {
        const auto same = other.first.find(shared.first);
        const bool goes = same != other.first.end() && same->second == shared.second && shared.first.isSize();
        if (goes) {
            other.first.erase(same);
        }
        return goes;
    });
    if (second.empty()) {
        std::swap(one, other);
    }
    const auto isSymbol = [](const SymMonomial& monomial) {
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

bool SymExpr::isAtLeast(std::int64_t least) const {
    // As sympy decides it: no term is negative, and neither is the remaining number, unless positive terms,
    // each at least its coefficient, make up for it.
    std::int64_t number = -least;
    std::int64_t ofSymbols = 0;
    for (const auto& [monomial, coefficient] : terms()) {
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

} // namespace aotscope::ir
