// Ranges of expressions. Follows torch 2.11, torch/utils/_sympy/value_ranges.py: bound_sympy.
#include "fake/sym_range.h"

#include "fake/sym_atoms.h"

#include <algorithm>

namespace aotscope::torch {

namespace {

using Range = SymExpression::Range;
using Bound = std::optional<std::int64_t>;

Bound sum(const Bound& left, const Bound& right) {
    std::int64_t result = 0;
    return !left || !right || __builtin_add_overflow(*left, *right, &result) ? std::nullopt
                                                                             : std::optional(result);
}

Bound product(const Bound& left, const Bound& right) {
    std::int64_t result = 0;
    return !left || !right || __builtin_mul_overflow(*left, *right, &result) ? std::nullopt
                                                                             : std::optional(result);
}

Range product(const Range& left, const Range& right) {
    if (left.first.value_or(-1) >= 0 && right.first.value_or(-1) >= 0) {
        return {product(left.first, right.first), product(left.second, right.second)};
    }
    if (!left.first || !left.second || !right.first || !right.second) {
        return {};
    }
    Range range;
    for (const Bound& one : {left.first, left.second}) {
        for (const Bound& other : {right.first, right.second}) {
            const Bound corner = product(one, other);
            if (!corner) {
                return {};
            }
            range.first = std::min(range.first.value_or(*corner), *corner);
            range.second = std::max(range.second.value_or(*corner), *corner);
        }
    }
    return range;
}

Range scaled(const Range& range, std::int64_t factor) {
    const Range times = {product(range.first, factor), product(range.second, factor)};
    return factor < 0 ? Range{times.second, times.first} : times;
}

Range maximum(const std::vector<Range>& ranges) {
    Range range = ranges.front();
    for (const Range& other : ranges) {
        // An unknown lower bound compares less than any other.
        range.first = std::max(range.first, other.first);
        range.second = range.second && other.second ? std::max(range.second, other.second) : std::nullopt;
    }
    return range;
}

Range minimum(std::vector<Range> ranges) {
    std::ranges::transform(ranges, ranges.begin(), [](const Range& range) { return negated(range); });
    return negated(maximum(ranges));
}

Range quotient(const Range& dividend, const Range& divisor) {
    if (divisor.first.value_or(0) < 1 || dividend.first.value_or(-1) < 0) {
        return {};
    }
    return {divisor.second ? *dividend.first / *divisor.second : 0,
            dividend.second ? std::optional(*dividend.second / *divisor.first) : std::nullopt};
}

Range remainder(const Range& divisor) {
    return divisor.first.value_or(0) < 1 ? Range() : Range{0, sum(divisor.second, -1)};
}

Range rangeOfAtom(const SymAtom& atom, const SymExpression::SymbolRanges& rangeOf) {
    const SymFunction* function = atom.function();
    if (function == nullptr) {
        return rangeOf(atom);
    }
    std::vector<Range> ranges;
    for (const SymExpression& argument : function->arguments) {
        ranges.push_back(argument.range(rangeOf));
    }
    const std::string& name = function->name;
    return name.empty()                           ? ranges.front()
           : name == "Max"                        ? maximum(ranges)
           : name == "Min"                        ? minimum(ranges)
           : name == "FloorDiv"                   ? quotient(ranges[0], ranges[1])
           : name == "Mod" || name == "PythonMod" ? remainder(ranges[1])
                                                  : Range();
}

} // namespace

Range sum(const Range& left, const Range& right) {
    return {sum(left.first, right.first), sum(left.second, right.second)};
}

Range negated(const Range& range) {
    return scaled(range, -1);
}

SymExpression::Range SymExpression::range(const SymbolRanges& rangeOf) const {
    Range total = {0, 0};
    for (const auto& [monomial, coefficient] : m_terms) {
        if (!coefficient.isWhole()) {
            return {};
        }
        Range range = {1, 1};
        for (const auto& [atom, power] : monomial) {
            const Range factor = rangeOfAtom(atom, rangeOf);
            for (std::int64_t count = 0; count < power; ++count) {
                range = product(range, factor);
            }
        }
        const Range term = scaled(range, coefficient.whole());
        total = sum(total, term);
    }
    return total;
}

} // namespace aotscope::torch
