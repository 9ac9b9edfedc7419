#include "fake/sympy_order.h"

#include "fake/sympy_text.h"

#include <cstddef>
#include <tuple>

namespace aotscope::torch {

namespace {

using Term = SympyTerm;

using Key = SympyKey;

std::weak_ordering compare(const std::vector<Key>& left, const std::vector<Key>& right) {
    if (left.size() != right.size()) {
        return left.size() <=> right.size();
    }
    for (std::size_t i = 0; i < left.size(); ++i) {
        if (const auto order = left[i] <=> right[i]; std::is_neq(order)) {
            return order;
        }
    }
    return std::weak_ordering::equivalent;
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

} // namespace

std::weak_ordering operator<=>(const SympyKey& left, const SympyKey& right) {
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

SympyKey sympyKey(const std::string& text) {
    // Text that cannot be parsed counts as a symbol.
    return keyOf(readSympy(text).value_or(Term{Term::Kind::Symbol, text, 0, {}}));
}

bool comesBefore(const std::string& left, const std::string& right) {
    return std::is_lt(sympyKey(left) <=> sympyKey(right));
}

} // namespace aotscope::torch
