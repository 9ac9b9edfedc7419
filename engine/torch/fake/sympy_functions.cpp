// The functions that PyTorch adds to sympy, with the simplifications they make when applied. Follows torch
// 2.11, torch/utils/_sympy/functions.py.
#include "fake/sym_atoms.h"
#include "fake/sympy_order.h"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace aotscope::torch {

namespace {

std::int64_t floorDivideNumbers(std::int64_t left, std::int64_t right) {
    const std::int64_t quotient = left / right;
    return (left % right != 0 && (left < 0) != (right < 0)) ? quotient - 1 : quotient;
}

} // namespace

std::optional<SymExpression> SymExpression::exactQuotient(const SymExpression& left,
                                                          const SymExpression& right) {
    if (right.m_terms.empty()) {
        return std::nullopt;
    }
    // As a single atom, a sum can divide a product that it is a factor of.
    const SymExpression one = right.asFactor();
    const auto& [divisor, by] = *one.m_terms.begin();
    SymExpression result;
    for (const auto& [monomial, coefficient] : left.m_terms) {
        if (!coefficient.isWhole() || !by.isWhole() || coefficient.whole() % by.whole() != 0) {
            return std::nullopt;
        }
        Monomial quotient = monomial;
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
    return result.withoutLoneFactor();
}

/// The greatest common divisor of all numbers, times the factors of the divisor that each term of the
/// dividend has with the same exponent.
SymExpression SymExpression::commonFactor(const SymExpression& left, const SymExpression& right) {
    std::int64_t number = 0;
    for (const SymExpression* side : {&left, &right}) {
        for (const auto& [monomial, coefficient] : side->m_terms) {
            number = std::gcd(number, coefficient.whole());
        }
    }
    Monomial common;
    if (right.m_terms.size() == 1) {
        for (const auto& [atom, power] : right.m_terms.begin()->first) {
            const bool everywhere = std::all_of(left.m_terms.begin(), left.m_terms.end(),
                                                [&, a = atom, p = power](const auto& term) {
                                                    const auto found = term.first.find(a);
                                                    return found != term.first.end() && found->second == p;
                                                });
            if (everywhere) {
                common.emplace(atom, power);
            }
        }
    }
    SymExpression factor;
    factor.add(common, number);
    return factor;
}

SymExpression SymExpression::floorDivide(const SymExpression& left, const SymExpression& right) {
    const auto a = left.constant();
    const auto b = right.constant();
    if (a == 0) {
        return SymExpression(0);
    }
    if (a && b && *b != 0) {
        return SymExpression(floorDivideNumbers(*a, *b));
    }
    if (b == 1) {
        return left;
    }
    if (left.text() == right.text()) {
        return SymExpression(1);
    }
    // (x//2)//3 is x//6.
    const SymFunction* quotient = left.function();
    if (quotient != nullptr && quotient->name == "FloorDiv") {
        return floorDivide(quotient->arguments[0], quotient->arguments[1] * right);
    }
    // Terms that divide exactly are taken out: (s0 - 2)//2 is s0//2 - 1.
    SymExpression whole;
    SymExpression rest;
    for (const auto& [monomial, coefficient] : b ? left.m_terms : decltype(left.m_terms)()) {
        SymExpression term;
        term.add(monomial, coefficient);
        if (const auto exact = exactQuotient(term, right)) {
            whole = whole + *exact;
        } else {
            rest = rest + term;
        }
    }
    if (!whole.m_terms.empty()) {
        return rest.m_terms.empty() ? whole : whole + floorDivide(rest, right);
    }
    if (right.m_terms.size() > 1) {
        if (const auto exact = exactQuotient(left, right)) {
            return *exact;
        }
    }
    const SymExpression common = commonFactor(left, right);
    if (common.constant() != 1) {
        return floorDivide(exactQuotient(left, common).value(), exactQuotient(right, common).value());
    }
    return SymExpression(
        SymAtom("(" + left.operand() + "//" + right.operand() + ")", {"FloorDiv", {left, right}}));
}

std::string SymExpression::operand() const {
    const SymAtom* atom = loneAtom();
    const bool plain = atom != nullptr ? isStrong(*atom) : constant().value_or(-1) >= 0;
    return plain ? text() : "(" + text() + ")";
}

SymExpression SymExpression::call(const std::string& name, std::vector<SymExpression> arguments) {
    std::string text = name + "(";
    for (const SymExpression& argument : arguments) {
        text += (&argument == arguments.data() ? "" : ", ") + argument.text();
    }
    return SymExpression(SymAtom(text + ")", {name, std::move(arguments)}));
}

namespace {

/// Sizes are at least 2.
SymExpression::Range rangeOfSymbol(const SymAtom& symbol) {
    return {symbol.isSize()                               ? std::optional<std::int64_t>(2)
            : symbol.sign() == SymAtom::Sign::Nonnegative ? std::optional<std::int64_t>(0)
                                                          : std::nullopt,
            std::nullopt};
}

bool isNonnegativeByRange(const SymExpression& expression) {
    const auto least = expression.range(rangeOfSymbol).first;
    return least && *least >= 0;
}

} // namespace

SymExpression SymExpression::modulo(const SymExpression& left, const SymExpression& right,
                                    bool knownNonnegative) {
    const auto a = left.constant();
    const auto b = right.constant();
    if (a && b && *b != 0) {
        return SymExpression(*a - floorDivideNumbers(*a, *b) * *b);
    }
    if (exactQuotient(left, right)) {
        return SymExpression(0);
    }
    const auto nonnegative = [](const SymExpression& side) {
        return side.isAtLeast(0) || isNonnegativeByRange(side);
    };
    const bool negative = !knownNonnegative && (!nonnegative(left) || !nonnegative(right));
    return call(negative ? "PythonMod" : "Mod", {left, right});
}

namespace {

/// Builds a minimum or maximum as sympy does.
class Extreme {
public:
    explicit Extreme(bool isMaximum) : m_isMaximum(isMaximum) {}

    /// Nested extremes of the same kind are flattened.
    void add(const SymExpression& expression) {
        const SymFunction* function = expression.function();
        if (function != nullptr && function->name == name(m_isMaximum)) {
            for (const SymExpression& argument : function->arguments) {
                add(argument);
            }
        } else if (const auto number = expression.constant()) {
            m_number = m_number ? further(*m_number, *number) : *number;
        } else if (!has(expression)) {
            m_others.push_back(expression);
        }
    }

    [[nodiscard]] SymExpression result() {
        dropRedundant();
        if (m_others.empty()) {
            return SymExpression(m_number.value_or(0));
        }
        // sympy only knows the sign here, and only uses it if one expression is left.
        const bool isBound = m_number && (*m_number == 0 || *m_number == 1) && m_others.size() == 1 &&
                             m_others.front().isAtLeast(*m_number);
        if (isBound) {
            return m_isMaximum ? m_others.front() : SymExpression(*m_number);
        }
        if (m_number) {
            m_others.emplace_back(*m_number);
        }
        if (m_others.size() == 1) {
            return m_others.front();
        }
        std::ranges::stable_sort(m_others, comesBefore,
                                 [](const SymExpression& expression) { return expression.text(); });
        return SymExpression::call(name(m_isMaximum), std::move(m_others));
    }

private:
    static const char* name(bool isMaximum) { return isMaximum ? "Max" : "Min"; }
    [[nodiscard]] std::int64_t further(std::int64_t left, std::int64_t right) const {
        return m_isMaximum ? std::max(left, right) : std::min(left, right);
    }
    [[nodiscard]] bool has(const SymExpression& expression) const {
        return std::any_of(m_others.begin(), m_others.end(),
                           [&](const SymExpression& other) { return other.text() == expression.text(); });
    }
    /// Whether it is an opposite extreme that decides nothing: Max(a, Min(a, b)) is a.
    [[nodiscard]] bool isRedundant(const SymExpression& expression) const {
        const SymFunction* function = expression.function();
        if (function == nullptr || function->name != name(!m_isMaximum)) {
            return false;
        }
        return std::any_of(
            function->arguments.begin(), function->arguments.end(), [&](const SymExpression& argument) {
                const auto number = argument.constant();
                return number ? m_number && further(*m_number, *number) == *m_number : has(argument);
            });
    }
    void dropRedundant() {
        std::vector<SymExpression> kept;
        std::copy_if(m_others.begin(), m_others.end(), std::back_inserter(kept),
                     [&](const SymExpression& expression) { return !isRedundant(expression); });
        m_others = std::move(kept);
    }

    bool m_isMaximum;
    std::optional<std::int64_t> m_number;
    std::vector<SymExpression> m_others;
};

SymExpression extreme(bool isMaximum, const SymExpression& left, const SymExpression& right) {
    Extreme made(isMaximum);
    made.add(left);
    made.add(right);
    return made.result();
}

} // namespace

SymExpression SymExpression::minimum(const SymExpression& left, const SymExpression& right) {
    return extreme(false, left, right);
}

SymExpression SymExpression::maximum(const SymExpression& left, const SymExpression& right) {
    return extreme(true, left, right);
}

} // namespace aotscope::torch
