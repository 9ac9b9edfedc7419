#include "fake/sympy_order.h"

#include "fake/sympy_text.h"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace aotscope::torch {

namespace {

using Term = SympyTerm;

/// sympy's sort key: the class, the parts, the exponent, the leading number.
struct Key {
    std::pair<int, int> rank;
    std::string className;
    std::string symbol;
    std::vector<Key> parts;
    std::vector<Key> exponent;
    double coefficient = 1;
};

std::weak_ordering compare(const Key& left, const Key& right);

std::weak_ordering compare(const std::vector<Key>& left, const std::vector<Key>& right) {
    if (left.size() != right.size()) {
        return left.size() <=> right.size();
    }
    for (std::size_t i = 0; i < left.size(); ++i) {
        if (const auto order = compare(left[i], right[i]); std::is_neq(order)) {
            return order;
        }
    }
    return std::weak_ordering::equivalent;
}

std::weak_ordering compare(const Key& left, const Key& right) {
    if (const auto order = std::tie(left.rank, left.className, left.symbol) <=>
                           std::tie(right.rank, right.className, right.symbol);
        std::is_neq(order)) {
        return order;
    }
    if (const auto order = compare(left.parts, right.parts); std::is_neq(order)) {
        return order;
    }
    if (const auto order = compare(left.exponent, right.exponent); std::is_neq(order)) {
        return order;
    }
    return std::weak_order(left.coefficient, right.coefficient);
}

Key keyOf(const Term& term);

/// The key of a term without a leading number.
Key plainKey(const Term& term) {
    Key key;
    const Term* base = &term;
    if (term.kind == Term::Kind::Power) {
        base = &term.parts[0];
        key.exponent.push_back(keyOf(term.parts[1]));
    } else {
        key.exponent.push_back(keyOf(sympyNumber(1)));
    }
    switch (base->kind) {
    case Term::Kind::Number:
        return keyOf(*base);
    case Term::Kind::Symbol:
        key.rank = {2, 0};
        key.className = "Symbol";
        key.symbol = base->name;
        break;
    case Term::Kind::Product:
        key.rank = {3, 0};
        key.className = "Mul";
        break;
    case Term::Kind::Sum:
        key.rank = {3, 1};
        key.className = "Add";
        break;
    case Term::Kind::Power:
        key.rank = {3, 2};
        key.className = "Pow";
        break;
    case Term::Kind::Function: {
        // Functions of a fixed number of arguments come after others; for sympy, minima and maxima are no
        // functions.
        const bool extreme = base->name == "Max" || base->name == "Min";
        key.rank = extreme ? std::pair(5, 0) : std::pair(4, 10000);
        key.className = base->name;
        break;
    }
    }
    for (const Term& part : base->parts) {
        key.parts.push_back(keyOf(part));
    }
    return key;
}

Key keyOf(const Term& term) {
    if (term.kind == Term::Kind::Number) {
        Key key;
        key.rank = {1, 0};
        key.className = "Number";
        key.coefficient = term.number;
        return key;
    }
    if (term.kind != Term::Kind::Product || term.parts.front().kind != Term::Kind::Number) {
        return plainKey(term);
    }
    Term rest = term;
    rest.parts.erase(rest.parts.begin());
    Key key = plainKey(rest.parts.size() == 1 ? rest.parts.front() : rest);
    key.coefficient = term.parts.front().number;
    return key;
}

std::size_t partsIn(const Term& term) {
    std::size_t count = 1;
    for (const Term& part : term.parts) {
        count += partsIn(part);
    }
    return count;
}

struct Ordered {
    Key key;
    std::size_t parts = 0;
};

const Ordered& orderedOf(const std::string& text) {
    thread_local std::map<std::string, Ordered> known;
    const auto found = known.find(text);
    if (found != known.end()) {
        return found->second;
    }
    // Text that cannot be parsed counts as a symbol.
    const Term term = readSympy(text).value_or(Term{Term::Kind::Symbol, text, 0, {}});
    return known.emplace(text, Ordered{keyOf(term), partsIn(term)}).first->second;
}

} // namespace

bool comesBefore(const std::string& left, const std::string& right) {
    return std::is_lt(compare(orderedOf(left).key, orderedOf(right).key));
}

bool isArgumentBefore(const std::string& left, const std::string& right) {
    const Ordered& first = orderedOf(left);
    const Ordered& second = orderedOf(right);
    return first.parts != second.parts ? first.parts < second.parts
                                       : std::is_lt(compare(first.key, second.key));
}

} // namespace aotscope::torch
