// Ranges of expressions. Follows torch 2.11, torch/utils/_sympy/value_ranges.py: bound_sympy.
#include "ir/symbolic/range.h"

#include "ir/symbolic/terms.h"

#include <algorithm>
#include <vector>

namespace aotscope::ir {

namespace {

using SymBound = std::optional<std::int64_t>;

SymBound sum(const SymBound& left, const SymBound& right) {
    std::int64_t result = 0;
    return !left || !right || __builtin_add_overflow(*left, *right, &result) ? std::nullopt
                                                                             : std::optional(result);
}

SymBound product(const SymBound& left, const SymBound& right) {
    std::int64_t result = 0;
    return !left || !right || __builtin_mul_overflow(*left, *right, &result) ? std::nullopt
                                                                             : std::optional(result);
}

SymRange product(const SymRange& left, const SymRange& right) {
    if (left.least.value_or(-1) >= 0 && right.least.value_or(-1) >= 0) {
        return {product(left.least, right.least), product(left.most, right.most)};
    }
    if (!left.least || !left.most || !right.least || !right.most) {
        return {};
    }
    SymRange range;
    for (const SymBound& one : {left.least, left.most}) {
        for (const SymBound& other : {right.least, right.most}) {
            const SymBound corner = product(one, other);
            if (!corner) {
                return {};
            }
            range.least = std::min(range.least.value_or(*corner), *corner);
            range.most = std::max(range.most.value_or(*corner), *corner);
        }
    }
    return range;
}

SymRange scaled(const SymRange& range, std::int64_t factor) {
    const SymRange times = {product(range.least, factor), product(range.most, factor)};
    return factor < 0 ? SymRange{times.most, times.least} : times;
}

SymRange greatest(const std::vector<SymRange>& ranges) {
    SymRange range = ranges.front();
    for (const SymRange& other : ranges) {
        // An unknown lower bound compares less than any other.
        range.least = std::max(range.least, other.least);
        range.most = range.most && other.most ? std::max(range.most, other.most) : std::nullopt;
    }
    return range;
}

SymRange smallest(std::vector<SymRange> ranges) {
    std::ranges::transform(ranges, ranges.begin(), [](const SymRange& range) { return -range; });
    return -greatest(ranges);
}

SymRange quotient(const SymRange& dividend, const SymRange& divisor) {
    if (divisor.least.value_or(0) < 1 || dividend.least.value_or(-1) < 0) {
        return {};
    }
    return {divisor.most ? *dividend.least / *divisor.most : 0,
            dividend.most ? std::optional(*dividend.most / *divisor.least) : std::nullopt};
}

SymRange remainder(const SymRange& divisor) {
    return divisor.least.value_or(0) < 1 ? SymRange() : SymRange{0, sum(divisor.most, -1)};
}

SymRange rangeOfAtom(const SymAtom& atom, const SymExpr::SymbolRanges& rangeOf) {
    const SymCall* function = atom.function();
    if (function == nullptr) {
        return rangeOf(atom);
    }
    std::vector<SymRange> ranges;
    for (const SymExpr& argument : function->arguments) {
        ranges.push_back(argument.range(rangeOf));
    }
    const std::string& name = function->name;
    return name.empty()                           ? ranges.front()
           : name == "Max"                        ? greatest(ranges)
           : name == "Min"                        ? smallest(ranges)
           : name == "FloorDiv"                   ? quotient(ranges[0], ranges[1])
           : name == "Mod" || name == "PythonMod" ? remainder(ranges[1])
                                                  : SymRange();
}

std::optional<bool> isNegative(const SymRange& range) {
    return range.most && *range.most < 0      ? std::optional(true)
           : range.least && *range.least >= 0 ? std::optional(false)
                                              : std::nullopt;
}

std::optional<bool> isZero(const SymRange& range) {
    return (range.least && *range.least > 0) || (range.most && *range.most < 0) ? std::optional(false)
           : range.least == 0 && range.most == 0                                ? std::optional(true)
                                                                                : std::nullopt;
}

} // namespace

SymRange operator+(const SymRange& left, const SymRange& right) {
    return {sum(left.least, right.least), sum(left.most, right.most)};
}

SymRange operator-(const SymRange& range) {
    return scaled(range, -1);
}

SymRange operator&(const SymRange& left, const SymRange& right) {
    return {std::max(left.least, right.least), left.most && right.most ? std::min(left.most, right.most)
                                               : left.most             ? left.most
                                                                       : right.most};
}

SymRange SymRange::of(SymRelation::Kind relation, std::int64_t number) {
    using Kind = SymRelation::Kind;
    const SymRange ofZero = relation == Kind::Equal          ? SymRange{0, 0}
                            : relation == Kind::Greater      ? SymRange{1, std::nullopt}
                            : relation == Kind::GreaterEqual ? SymRange{0, std::nullopt}
                            : relation == Kind::Less         ? SymRange{std::nullopt, -1}
                            : relation == Kind::LessEqual    ? SymRange{std::nullopt, 0}
                                                             : SymRange{};
    return ofZero + SymRange{number, number};
}

std::optional<bool> SymRange::compared(SymRelation::Kind relation) const {
    switch (relation) {
    case SymRelation::Kind::Equal:
        return isZero(*this);
    case SymRelation::Kind::NotEqual:
        return opposite(isZero(*this));
    case SymRelation::Kind::Less:
        return isNegative(*this);
    case SymRelation::Kind::GreaterEqual:
        return opposite(isNegative(*this));
    case SymRelation::Kind::Greater:
        return isNegative(-*this);
    case SymRelation::Kind::LessEqual:
        return opposite(isNegative(-*this));
    }
    return std::nullopt;
}

std::optional<bool> opposite(std::optional<bool> answer) {
    return answer ? std::optional(!*answer) : std::nullopt;
}

SymRange SymExpr::range(const SymbolRanges& rangeOf) const {
    SymRange total = {0, 0};
    for (const auto& [monomial, coefficient] : terms()) {
        if (!coefficient.isWhole()) {
            return {};
        }
        SymRange range = {1, 1};
        for (const auto& [atom, power] : monomial) {
            const SymRange factor = rangeOfAtom(atom, rangeOf);
            for (std::int64_t count = 0; count < power; ++count) {
                range = product(range, factor);
            }
        }
        total = total + scaled(range, coefficient.whole());
    }
    return total;
}

} // namespace aotscope::ir
