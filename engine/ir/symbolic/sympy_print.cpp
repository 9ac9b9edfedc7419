// Expressions as sympy prints them.
#include "ir/symbolic/terms.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace aotscope::ir {

namespace {

bool isFactorBefore(const SymAtom& left, const SymAtom& right) {
    return left != right && comesBefore(left.written(), right.written());
}

/// Divisions and remainders bind weaker than sums in sympy's printing: inside any larger expression they get
/// another pair of parentheses.
bool isWeak(const SymAtom& atom) {
    constexpr std::array<std::string_view, 5> names = {"FloorDiv", "Mod", "PythonMod", "IntTrueDiv",
                                                       "FloatTrueDiv"};
    const SymCall* function = atom.function();
    return function != nullptr && std::ranges::find(names, function->name) != names.end();
}

std::string factorText(const SymAtom& atom, std::int64_t power) {
    const SymCall* function = atom.function();
    const bool isPower = function != nullptr && function->name == "FloatPow";
    const std::string base = isWeak(atom) || (isPower && power != 1) ? "(" + atom.text() + ")" : atom.text();
    return power == 1 ? base : base + "**" + std::to_string(power);
}

std::string termText(const SymMonomial& monomial, const SymNumber& coefficient) {
    std::string text;
    if (coefficient.isWhole(-1) && !monomial.empty()) {
        text = "-";
    } else if (!coefficient.isWhole(1) || monomial.empty()) {
        text = coefficient.text();
    }
    bool first = text.empty() || text == "-";
    std::vector<std::pair<SymAtom, std::int64_t>> factors(monomial.begin(), monomial.end());
    std::ranges::stable_sort(factors, isFactorBefore, &decltype(factors)::value_type::first);
    for (const auto& [atom, power] : factors) {
        text += (first ? "" : "*") + factorText(atom, power);
        first = false;
    }
    return text;
}

std::vector<std::pair<SymMonomial, SymNumber>> orderedTerms(const SymTerms& all) {
    std::set<SymAtom, decltype(&isFactorBefore)> atoms(&isFactorBefore);
    for (const auto& [monomial, coefficient] : all) {
        for (const auto& [atom, power] : monomial) {
            atoms.insert(atom);
        }
    }
    std::vector<std::pair<SymMonomial, SymNumber>> terms(all.begin(), all.end());
    // sympy's default order: lexicographic by the exponents of the atoms, highest first.
    const auto comesFirst = [&](const auto& left, const auto& right) {
        for (const SymAtom& atom : atoms) {
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
    std::ranges::stable_sort(terms, comesFirst);
    // sympy writes "5 - s0", not "-s0 + 5".
    if (terms.size() == 2 && terms[1].first.empty() && !terms[1].second.isNegative() &&
        terms[0].second.isNegative() && terms[0].first.size() == 1) {
        std::swap(terms[0], terms[1]);
    }
    return terms;
}

} // namespace

std::string SymTerms::text() const {
    if (empty()) {
        return "0";
    }
    if (const SymAtom* atom = loneAtom()) {
        return atom->text();
    }
    std::string text;
    for (const auto& [monomial, coefficient] : orderedTerms(*this)) {
        if (text.empty()) {
            text = termText(monomial, coefficient);
        } else if (coefficient.isNegative()) {
            text += " - " + termText(monomial, -coefficient);
        } else {
            text += " + " + termText(monomial, coefficient);
        }
    }
    return text;
}

} // namespace aotscope::ir
