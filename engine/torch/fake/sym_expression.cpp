#include "fake/sym_expression.h"

#include "fake/sympy_order.h"

#include "ir/python_literal.h"
#include "ir/symbolic.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <set>

namespace aotscope::torch {

namespace {

/// Sums that are factors of products, by the text that stands for each: sympy multiplies a sum out with a
/// number and with nothing else.
std::map<std::string, SymExpression>& factoredSums() {
    thread_local std::map<std::string, SymExpression> sums;
    return sums;
}

bool isSum(const std::string& atom) {
    return atom.starts_with('(') && factoredSums().contains(atom);
}

/// sympy prints a floor division as something weaker than a sum: in any larger expression it gets parentheses
/// besides those of its own.
bool isFloorDivision(const std::string& atom) {
    return atom.starts_with('(') && !isSum(atom);
}

/// The same of remainders.
bool isWeak(const std::string& atom) {
    return isFloorDivision(atom) || atom.starts_with("Mod(") || atom.starts_with("PythonMod(");
}

std::set<std::string, std::less<>>& numberSymbols() {
    thread_local std::set<std::string, std::less<>> symbols;
    return symbols;
}

std::map<std::string, bool>& knownNonnegative() {
    thread_local std::map<std::string, bool> known;
    return known;
}

/// Whether an atom is no less than 0 whatever its symbols, sizes each at least 1: by trying.
bool isNonnegative(const std::string& atom) {
    if (atom.find('(') == std::string::npos) {
        return !numberSymbols().contains(atom);
    }
    constexpr std::array<std::int64_t, 12> values = {1, 2, 3, 4, 5, 6, 7, 31, 62, 0, -1, -6};
    constexpr std::size_t ofSizes = 9;
    const auto [answer, added] = knownNonnegative().try_emplace(atom, true);
    if (!added) {
        return answer->second;
    }
    const ir::SymExpr expression(atom);
    const std::vector<std::string> names = expression.symbols();
    // Together and one at a time.
    for (std::size_t alone = 0; alone <= names.size() && answer->second; ++alone) {
        for (std::size_t k = 0; k < values.size(); ++k) {
            ir::SymbolBindings bindings;
            for (std::size_t i = 0; i < names.size(); ++i) {
                const bool possible = k < ofSizes || numberSymbols().contains(names[i]);
                bindings[names[i]] = possible && (alone == names.size() || alone == i) ? values[k] : 1;
            }
            const auto value = expression.evaluateInt(bindings);
            answer->second = answer->second && value && *value >= 0;
        }
    }
    return answer->second;
}

} // namespace

void setNumberSymbols(std::set<std::string, std::less<>> symbols) {
    numberSymbols() = std::move(symbols);
    knownNonnegative().clear();
}

bool isSizeSymbol(std::string_view name) {
    return name.size() > 1 && name.front() == 's' &&
           std::all_of(name.begin() + 1, name.end(), [](char c) { return c >= '0' && c <= '9'; }) &&
           !numberSymbols().contains(name);
}

std::string sympyFloat(double number) {
    constexpr int digits = 15;
    char text[40];
    std::snprintf(text, sizeof text, "%.*e", digits - 1, number);
    const std::string scientific = text;
    const std::size_t at = scientific.find('e');
    if (at == std::string::npos) {
        return ir::pythonFloat(number);
    }
    const int exponent = std::stoi(scientific.substr(at + 1));
    if (exponent <= -5 || exponent >= digits) {
        return scientific.substr(0, at) + (exponent < 0 ? "e-" : "e+") + std::to_string(std::abs(exponent));
    }
    std::snprintf(text, sizeof text, "%.*f", std::max(digits - 1 - exponent, 1), number);
    return text;
}

std::string trimmedFloat(const std::string& decimal) {
    const std::size_t end = std::min(decimal.find('e'), decimal.size());
    std::string digits = decimal.substr(0, end);
    digits.erase(digits.find_last_not_of('0') + 1);
    return (digits.ends_with('.') ? digits + "0" : digits) + decimal.substr(end);
}

SymExpression::SymExpression(std::int64_t constant) {
    add({}, constant);
}

SymExpression SymExpression::atom(std::string text) {
    SymExpression expression;
    expression.add({{std::move(text), 1}}, 1);
    return expression;
}

std::optional<std::int64_t> SymExpression::constant() const {
    if (m_terms.empty()) {
        return 0;
    }
    if (m_terms.size() == 1 && m_terms.begin()->first.empty()) {
        return m_terms.begin()->second;
    }
    return std::nullopt;
}

std::vector<std::string> SymExpression::symbols() const {
    const auto inName = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    std::vector<std::string> names;
    for (const auto& [monomial, coefficient] : m_terms) {
        for (const auto& [text, power] : monomial) {
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

void SymExpression::add(const Monomial& monomial, std::int64_t coefficient) {
    std::int64_t& sum = m_terms[monomial];
    sum += coefficient;
    if (sum == 0) {
        m_terms.erase(monomial);
    }
}

SymExpression operator+(const SymExpression& left, const SymExpression& right) {
    SymExpression result = left;
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
    const bool byNumber = left.constant() || right.constant();
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
    if (m_terms.size() < 2) {
        return *this;
    }
    std::string text = "(" + this->text() + ")";
    factoredSums().try_emplace(text, *this);
    return atom(std::move(text));
}

SymExpression SymExpression::withoutLoneFactor() const {
    if (m_terms.size() != 1 || m_terms.begin()->first.size() != 1) {
        return *this;
    }
    const auto& [atom, power] = *m_terms.begin()->first.begin();
    return power == 1 && isSum(atom) ? SymExpression(m_terms.begin()->second) * factoredSums().at(atom)
                                     : *this;
}

std::optional<SymExpression> SymExpression::exactQuotient(const SymExpression& left,
                                                          const SymExpression& right) {
    if (right.m_terms.empty()) {
        return std::nullopt;
    }
    // A sum divides what it is a factor of.
    const SymExpression one = right.asFactor();
    const auto& [divisor, by] = *one.m_terms.begin();
    SymExpression result;
    for (const auto& [monomial, coefficient] : left.m_terms) {
        if (coefficient % by != 0) {
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
        result.add(quotient, coefficient / by);
    }
    return result.withoutLoneFactor();
}

namespace {

std::string factor(const std::string& atom) {
    return isWeak(atom) ? "(" + atom + ")" : atom;
}

std::int64_t floorDivideNumbers(std::int64_t left, std::int64_t right) {
    const std::int64_t quotient = left / right;
    return (left % right != 0 && (left < 0) != (right < 0)) ? quotient - 1 : quotient;
}

} // namespace

namespace {

/// The one floor division that an expression is, taken apart: "(A//B)" into A and B.
std::optional<std::pair<std::string, std::string>> quotientParts(const std::string& atom) {
    if (!isFloorDivision(atom)) {
        return std::nullopt;
    }
    int depth = 0;
    for (std::size_t i = 1; i + 2 < atom.size(); ++i) {
        depth += atom[i] == '(' ? 1 : atom[i] == ')' ? -1 : 0;
        if (depth == 0 && atom.compare(i, 2, "//") == 0) {
            return std::pair(atom.substr(1, i - 1), atom.substr(i + 2, atom.size() - i - 3));
        }
    }
    return std::nullopt;
}

} // namespace

/// sympy's gcd of a floor division: the common factor of all numbers, and the divisor's factors that each
/// term of the dividend has, powers taken whole.
SymExpression SymExpression::commonFactor(const SymExpression& left, const SymExpression& right) {
    std::int64_t number = 0;
    for (const SymExpression* side : {&left, &right}) {
        for (const auto& [monomial, coefficient] : side->m_terms) {
            number = std::gcd(number, coefficient);
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
    const bool isAtom = left.m_terms.size() == 1 && left.m_terms.begin()->second == 1 &&
                        left.m_terms.begin()->first.size() == 1 &&
                        left.m_terms.begin()->first.begin()->second == 1;
    if (const auto parts = b && isAtom ? quotientParts(left.text()) : std::nullopt;
        parts && std::all_of(parts->second.begin(), parts->second.end(),
                             [](char c) { return c >= '0' && c <= '9'; })) {
        return atom("(" + parts->first + "//" + std::to_string(*b * std::stoll(parts->second)) + ")");
    }
    // Terms that divide exactly are taken out: (s0 - 2)//2 is s0//2 - 1.
    SymExpression whole;
    SymExpression rest;
    for (const auto& [monomial, coefficient] : b ? left.m_terms : decltype(left.m_terms)()) {
        SymExpression term;
        term.add(monomial, coefficient);
        if (const auto quotient = exactQuotient(term, right)) {
            whole = whole + *quotient;
        } else {
            rest = rest + term;
        }
    }
    if (!whole.m_terms.empty()) {
        return rest.m_terms.empty() ? whole : whole + floorDivide(rest, right);
    }
    if (right.m_terms.size() > 1) {
        if (const auto quotient = exactQuotient(left, right)) {
            return *quotient;
        }
    }
    const SymExpression common = commonFactor(left, right);
    if (common.constant() != 1) {
        return floorDivide(exactQuotient(left, common).value(), exactQuotient(right, common).value());
    }
    return atom("(" + left.operand() + "//" + right.operand() + ")");
}

std::string SymExpression::operand() const {
    const bool plain =
        constant() ||
        (m_terms.size() == 1 && m_terms.begin()->second == 1 && m_terms.begin()->first.size() == 1 &&
         m_terms.begin()->first.begin()->second == 1 && !isWeak(m_terms.begin()->first.begin()->first));
    return plain ? text() : "(" + text() + ")";
}

std::optional<std::pair<std::string, std::string>> SymExpression::solvedForZero() const {
    if (m_terms.size() != 2) {
        return std::nullopt;
    }
    const auto& [first, firstFactor] = *m_terms.begin();
    const auto& [second, secondFactor] = *std::next(m_terms.begin());
    const auto isSymbol = [](const Monomial& monomial) {
        return monomial.size() == 1 && monomial.begin()->second == 1 &&
               monomial.begin()->first.find_first_of("( .") == std::string::npos;
    };
    // The empty monomial, a number, comes first.
    if (first.empty() && isSymbol(second) && firstFactor % secondFactor == 0) {
        return std::pair(second.begin()->first, std::to_string(-firstFactor / secondFactor));
    }
    if (isSymbol(first) && isSymbol(second) && firstFactor == -secondFactor) {
        return std::pair(first.begin()->first, second.begin()->first);
    }
    return std::nullopt;
}

bool SymExpression::isAtLeast(std::int64_t least) const {
    // As sympy finds it: no term is negative, and the number that is left over isn't either, or symbols,
    // which are at least 1, make up for it.
    std::int64_t number = -least;
    std::int64_t ofSymbols = 0;
    for (const auto& [monomial, coefficient] : m_terms) {
        if (monomial.empty()) {
            number += coefficient;
            continue;
        }
        if (coefficient < 0 || !std::all_of(monomial.begin(), monomial.end(),
                                            [](const auto& power) { return isNonnegative(power.first); })) {
            return false;
        }
        const bool symbols = std::all_of(monomial.begin(), monomial.end(),
                                         [](const auto& power) { return isSizeSymbol(power.first); });
        ofSymbols += symbols ? coefficient : 0;
    }
    return number >= 0 || (ofSymbols > 0 && ofSymbols + number >= 0);
}

std::optional<std::int64_t>
SymExpression::leastOf(const std::function<Range(const std::string& symbol)>& rangeOf) const {
    std::int64_t sum = 0;
    for (const auto& [monomial, coefficient] : m_terms) {
        std::int64_t value = 1;
        if (!monomial.empty()) {
            const auto& [atom, power] = *monomial.begin();
            const auto [least, most] = rangeOf(atom);
            const auto& bound = coefficient > 0 ? least : most;
            if (monomial.size() > 1 || power != 1 || !bound) {
                return std::nullopt;
            }
            value = *bound;
        }
        if (__builtin_mul_overflow(value, coefficient, &value) || __builtin_add_overflow(sum, value, &sum)) {
            return std::nullopt;
        }
    }
    return sum;
}

namespace {

/// The range of an atom: sizes are at least 2, a remainder is smaller than its divisor.
SymExpression::Range rangeOfAtom(const std::string& atom) {
    SymExpression::Range range;
    if (isNonnegative(atom)) {
        range.first = isSizeSymbol(atom) ? 2 : 0;
    }
    if (atom.starts_with("Mod(") || atom.starts_with("PythonMod(")) {
        std::int64_t divisor = 0;
        const char* const first = atom.data() + atom.rfind(' ') + 1;
        const char* const last = atom.data() + atom.size() - 1;
        const auto [end, failed] = std::from_chars(first, last, divisor);
        if (failed == std::errc() && end == last && divisor > 0) {
            range = {0, divisor - 1};
        }
    }
    return range;
}

bool isNonnegativeByRange(const SymExpression& expression) {
    const auto least = expression.leastOf(rangeOfAtom);
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
    return atom((negative ? "PythonMod(" : "Mod(") + left.text() + ", " + right.text() + ")");
}

SymExpression SymExpression::extreme(const std::string& name, const SymExpression& left,
                                     const SymExpression& right) {
    const std::string first = left.text();
    const std::string second = right.text();
    return isArgumentBefore(second, first) ? atom(name + "(" + second + ", " + first + ")")
                                           : atom(name + "(" + first + ", " + second + ")");
}

SymExpression SymExpression::minimum(const SymExpression& left, const SymExpression& right) {
    if (left.constant() && right.constant()) {
        return SymExpression(std::min(*left.constant(), *right.constant()));
    }
    if (left.text() == right.text()) {
        return left;
    }
    return extreme("Min", left, right);
}

SymExpression SymExpression::maximum(const SymExpression& left, const SymExpression& right) {
    if (left.constant() && right.constant()) {
        return SymExpression(std::max(*left.constant(), *right.constant()));
    }
    if (left.text() == right.text()) {
        return left;
    }
    if (right.constant() && left.isAtLeast(*right.constant())) {
        return left;
    }
    if (left.constant() && right.isAtLeast(*left.constant())) {
        return right;
    }
    return extreme("Max", left, right);
}

std::string SymExpression::termText(const Monomial& monomial, std::int64_t coefficient) {
    std::string text;
    if (coefficient == -1 && !monomial.empty()) {
        text = "-";
    } else if (coefficient != 1 || monomial.empty()) {
        text = std::to_string(coefficient);
    }
    bool first = text.empty() || text == "-";
    std::vector<std::pair<std::string, std::int64_t>> factors(monomial.begin(), monomial.end());
    std::ranges::stable_sort(factors, comesBefore, [](const auto& power) { return power.first; });
    for (const auto& [atom, power] : factors) {
        if (!first) {
            text += "*";
        }
        first = false;
        text += factor(atom);
        if (power != 1) {
            text += "**" + std::to_string(power);
        }
    }
    return text;
}

bool SymExpression::isNumber(const Monomial& monomial) {
    return monomial.empty() ||
           (monomial.size() == 1 &&
            std::isdigit(static_cast<unsigned char>(monomial.begin()->first.front())) != 0);
}

std::vector<std::pair<SymExpression::Monomial, std::int64_t>> SymExpression::orderedTerms() const {
    std::set<std::string, decltype(&comesBefore)> atoms(&comesBefore);
    for (const auto& [monomial, coefficient] : m_terms) {
        for (const auto& [atom, power] : monomial) {
            // Numbers come last.
            if (!isNumber(monomial)) {
                atoms.insert(atom);
            }
        }
    }
    std::vector<std::pair<Monomial, std::int64_t>> terms(m_terms.begin(), m_terms.end());
    // Lexicographic by the powers of the atoms as factors are put, highest first: sympy's default order.
    const auto comesFirst = [&](const auto& left, const auto& right) {
        for (const std::string& atom : atoms) {
            const auto a = left.first.find(atom);
            const auto b = right.first.find(atom);
            const std::int64_t leftPower = a == left.first.end() ? 0 : a->second;
            const std::int64_t rightPower = b == right.first.end() ? 0 : b->second;
            if (leftPower != rightPower) {
                return leftPower > rightPower;
            }
        }
        return false;
    };
    std::stable_sort(terms.begin(), terms.end(), comesFirst);
    // sympy writes "5 - s0", not "-s0 + 5".
    if (terms.size() == 2 && isNumber(terms[1].first) && terms[1].second > 0 && terms[0].second < 0 &&
        terms[0].first.size() == 1) {
        std::swap(terms[0], terms[1]);
    }
    return terms;
}

std::string SymExpression::text() const {
    if (m_terms.empty()) {
        return "0";
    }
    std::string text;
    if (m_terms.size() == 1 && m_terms.begin()->second == 1 && m_terms.begin()->first.size() == 1 &&
        m_terms.begin()->first.begin()->second == 1) {
        return m_terms.begin()->first.begin()->first;
    }
    for (const auto& [monomial, coefficient] : orderedTerms()) {
        if (text.empty()) {
            text = termText(monomial, coefficient);
        } else if (coefficient < 0) {
            text += " - " + termText(monomial, -coefficient);
        } else {
            text += " + " + termText(monomial, coefficient);
        }
    }
    return text;
}

} // namespace aotscope::torch
