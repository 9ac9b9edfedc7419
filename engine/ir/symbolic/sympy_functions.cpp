// The functions that PyTorch adds to sympy, with the simplifications they make when applied. Follows torch
// 2.11, torch/utils/_sympy/functions.py.
#include "base/joined.h"
#include "ir/symbolic/range.h"
#include "ir/symbolic/terms.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

namespace aotscope::ir {

namespace {

std::int64_t floorDivideNumbers(std::int64_t left, std::int64_t right) {
    const std::int64_t quotient = left / right;
    return (left % right != 0 && (left < 0) != (right < 0)) ? quotient - 1 : quotient;
}

/// A sum that is multiplied by nothing but a number, multiplied out.
SymExpr withoutLoneFactor(SymTerms terms) {
    if (terms.size() == 1 && terms.begin()->first.size() == 1) {
        const auto& [atom, power] = *terms.begin()->first.begin();
        if (power == 1 && atom.isSum()) {
            return SymExpr(SymTerms(terms.begin()->second)) * atom.function()->arguments.front();
        }
    }
    return SymExpr(std::move(terms));
}

/// The quotient if the divisor has one term that divides every term exactly.
std::optional<SymExpr> exactQuotient(const SymTerms& left, const SymExpr& right) {
    if (right.terms().empty()) {
        return std::nullopt;
    }
    // As a single atom, a sum can divide a product that it is a factor of.
    const SymTerms one = asFactor(right);
    const auto& [divisor, by] = *one.begin();
    SymTerms result;
    for (const auto& [monomial, coefficient] : left) {
        if (!coefficient.isWhole() || !by.isWhole() || coefficient.whole() % by.whole() != 0) {
            return std::nullopt;
        }
        SymMonomial quotient = monomial;
        for (const auto& [atom, power] : divisor) {
            const auto found = quotient.find(atom);
            if (found == quotient.end() || found->second < power) {
                return std::nullopt;
            }
            found->second -= power;
            if (found->second == 0) {
                quotient.erase(found);
            }
        }
        result.add(quotient, coefficient.whole() / by.whole());
    }
    return withoutLoneFactor(std::move(result));
}

/// The common factor that a floor division cancels: the greatest common divisor of all numbers, times the
/// factors of the divisor that each term of the dividend has with the same exponent. Follows torch 2.11,
/// torch/utils/_sympy/functions.py: simple_floordiv_gcd.
SymExpr commonFactor(const SymTerms& left, const SymTerms& right) {
    std::int64_t number = 0;
    for (const SymTerms* side : {&left, &right}) {
        for (const auto& [monomial, coefficient] : *side) {
            number = std::gcd(number, coefficient.whole());
        }
    }
    SymMonomial common;
    if (right.size() == 1) {
        for (const auto& [atom, power] : right.begin()->first) {
            const bool everywhere = std::ranges::all_of(left, [&, a = atom, p = power](const auto& term) {
                const auto found = term.first.find(a);
                return found != term.first.end() && found->second == p;
            });
            if (everywhere) {
                common.emplace(atom, power);
            }
        }
    }
    SymTerms factor;
    factor.add(common, number);
    return SymExpr(std::move(factor));
}

/// Its text as an operand of a floor division: in parentheses unless it is one symbol, number, minimum or
/// maximum.
std::string operandText(const SymExpr& side) {
    const SymAtom* atom = side.terms().loneAtom();
    const SymCall* function = side.function();
    const bool plain = function != nullptr ? function->name == "Max" || function->name == "Min"
                       : atom == nullptr   ? side.constant().value_or(-1) >= 0
                                           : true;
    return plain ? side.text() : "(" + side.text() + ")";
}

} // namespace

SymExpr SymExpr::floorDivide(const SymExpr& left, const SymExpr& right) {
    const auto a = left.constant();
    const auto b = right.constant();
    if (a == 0) {
        return SymExpr(0);
    }
    if (a && b && *b != 0) {
        return SymExpr(floorDivideNumbers(*a, *b));
    }
    if (b == 1) {
        return left;
    }
    if (left == right) {
        return SymExpr(1);
    }
    // (x//2)//3 is x//6.
    const SymCall* quotient = left.function();
    if (quotient != nullptr && quotient->name == "FloorDiv") {
        return floorDivide(quotient->arguments[0], quotient->arguments[1] * right);
    }
    // Terms that divide exactly are taken out: (s0 - 2)//2 is s0//2 - 1.
    SymExpr whole(0);
    SymTerms rest;
    for (const auto& term : b ? left.terms() : SymTerms()) {
        SymTerms one;
        one.insert(term);
        if (const auto exact = exactQuotient(one, right)) {
            whole = whole + *exact;
        } else {
            rest.insert(term);
        }
    }
    if (!whole.terms().empty()) {
        return rest.empty() ? whole : whole + floorDivide(SymExpr(std::move(rest)), right);
    }
    if (right.terms().size() > 1) {
        if (const auto exact = exactQuotient(left.terms(), right)) {
            return *exact;
        }
    }
    const SymExpr common = commonFactor(left.terms(), right.terms());
    // Beyond 64 bits a coefficient is a float, which nothing divides exactly.
    const auto dividend = common.constant() != 1 ? exactQuotient(left.terms(), common) : std::nullopt;
    const auto divisor = dividend ? exactQuotient(right.terms(), common) : std::nullopt;
    if (divisor) {
        return floorDivide(*dividend, *divisor);
    }
    return SymExpr(SymTerms(
        SymAtom("(" + operandText(left) + "//" + operandText(right) + ")", {"FloorDiv", {left, right}})));
}

SymExpr SymExpr::call(const std::string& name, std::vector<SymExpr> arguments) {
    const std::string text = name + "(" + base::joined(arguments) + ")";
    return SymExpr(SymTerms(SymAtom(text, {name, std::move(arguments)})));
}

namespace {

/// Sizes are at least 2.
SymRange rangeOfSymbol(const SymAtom& symbol) {
    return {symbol.isSize()                               ? std::optional<std::int64_t>(2)
            : symbol.sign() == SymAtom::Sign::Nonnegative ? std::optional<std::int64_t>(0)
                                                          : std::nullopt,
            std::nullopt};
}

bool isNonnegative(const SymExpr& expression) {
    return expression.isAtLeast(0) || expression.range(rangeOfSymbol).least.value_or(-1) >= 0;
}

} // namespace

SymExpr SymExpr::modulo(const SymExpr& left, const SymExpr& right, bool knownNonnegative) {
    const auto a = left.constant();
    const auto b = right.constant();
    if (a && b && *b != 0) {
        return SymExpr(*a - floorDivideNumbers(*a, *b) * *b);
    }
    if (exactQuotient(left.terms(), right)) {
        return SymExpr(0);
    }
    const bool negative = !knownNonnegative && !(isNonnegative(left) && isNonnegative(right));
    return call(negative ? "PythonMod" : "Mod", {left, right});
}

namespace {

/// Builds a minimum or maximum as sympy does.
class Extreme {
public:
    explicit Extreme(bool isMaximum) : m_isMaximum(isMaximum) {}

    /// Nested extremes of the same kind are flattened.
    void add(const SymExpr& expression) {
        const SymCall* function = expression.function();
        if (function != nullptr && function->name == name(m_isMaximum)) {
            for (const SymExpr& argument : function->arguments) {
                add(argument);
            }
        } else if (const auto number = expression.constant()) {
            m_number = m_number ? further(*m_number, *number) : *number;
        } else if (std::ranges::find(m_others, expression) == m_others.end()) {
            m_others.push_back(expression);
        }
    }

    [[nodiscard]] SymExpr result() {
        const std::vector<SymExpr> all = m_others;
        std::erase_if(m_others, [&](const SymExpr& one) { return isRedundant(one, all); });
        if (m_others.empty()) {
            return SymExpr(m_number.value_or(0));
        }
        // sympy only knows the sign here, and only uses it if one expression is left.
        const bool isBound = m_number && (*m_number == 0 || *m_number == 1) && m_others.size() == 1 &&
                             m_others.front().isAtLeast(*m_number);
        if (isBound) {
            return m_isMaximum ? m_others.front() : SymExpr(*m_number);
        }
        if (m_number) {
            m_others.emplace_back(*m_number);
        }
        if (m_others.size() == 1) {
            return m_others.front();
        }
        std::ranges::stable_sort(m_others, comesBefore);
        return SymExpr::call(name(m_isMaximum), std::move(m_others));
    }

private:
    static const char* name(bool isMaximum) { return isMaximum ? "Max" : "Min"; }
    [[nodiscard]] std::int64_t further(std::int64_t left, std::int64_t right) const {
        return m_isMaximum ? std::max(left, right) : std::min(left, right);
    }
    /// Whether it is an opposite extreme that decides nothing: Max(a, Min(a, b)) is a.
    [[nodiscard]] bool isRedundant(const SymExpr& expression, const std::vector<SymExpr>& all) const {
        const SymCall* function = expression.function();
        if (function == nullptr || function->name != name(!m_isMaximum)) {
            return false;
        }
        return std::ranges::any_of(function->arguments, [&](const SymExpr& argument) {
            const auto number = argument.constant();
            return number ? m_number && further(*m_number, *number) == *m_number
                          : std::ranges::find(all, argument) != all.end();
        });
    }

    bool m_isMaximum;
    std::optional<std::int64_t> m_number;
    std::vector<SymExpr> m_others;
};

SymExpr extreme(bool isMaximum, const SymExpr& left, const SymExpr& right) {
    Extreme made(isMaximum);
    made.add(left);
    made.add(right);
    return made.result();
}

} // namespace

SymExpr SymExpr::minimum(const SymExpr& left, const SymExpr& right) {
    return extreme(false, left, right);
}

SymExpr SymExpr::maximum(const SymExpr& left, const SymExpr& right) {
    return extreme(true, left, right);
}

} // namespace aotscope::ir
