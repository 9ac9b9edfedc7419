#include "fake/fitted_expression.h"

#include <cmath>

namespace aotscope::torch {

namespace {

using Values = std::vector<std::int64_t>;

std::int64_t floorDivide(std::int64_t left, std::int64_t right) {
    return static_cast<std::int64_t>(std::floor(static_cast<double>(left) / static_cast<double>(right)));
}

/// `values` as a * known + b with integers a and b.
std::optional<SymExpression> linear(const Values& values, const KnownNumber& known) {
    const std::int64_t run = known.values[1] - known.values[0];
    const std::int64_t rise = values[1] - values[0];
    if (run == 0 || rise % run != 0) {
        return std::nullopt;
    }
    const std::int64_t factor = rise / run;
    const std::int64_t rest = values[0] - factor * known.values[0];
    for (std::size_t k = 0; k < values.size(); ++k) {
        if (factor * known.values[k] + rest != values[k]) {
            return std::nullopt;
        }
    }
    return SymExpression(factor) * known.expression + SymExpression(rest);
}

std::optional<SymExpression> product(const Values& values, const KnownNumber& left,
                                     const KnownNumber& right) {
    const std::int64_t first = left.values[0] * right.values[0];
    if (first == 0 || values[0] % first != 0) {
        return std::nullopt;
    }
    const std::int64_t factor = values[0] / first;
    for (std::size_t k = 0; k < values.size(); ++k) {
        if (factor * left.values[k] * right.values[k] != values[k]) {
            return std::nullopt;
        }
    }
    return SymExpression(factor) * left.expression * right.expression;
}

std::optional<SymExpression> sum(const Values& values, const KnownNumber& left, const KnownNumber& right) {
    const std::int64_t rest = values[0] - left.values[0] - right.values[0];
    for (std::size_t k = 0; k < values.size(); ++k) {
        if (left.values[k] + right.values[k] + rest != values[k]) {
            return std::nullopt;
        }
    }
    return left.expression + right.expression + SymExpression(rest);
}

/// `values` as floor((known + shift) / divisor) + rest, as windows that slide over a dimension give.
std::optional<SymExpression> window(const Values& values, const KnownNumber& known) {
    constexpr std::int64_t largestDivisor = 64;
    for (std::int64_t divisor = 2; divisor <= largestDivisor; ++divisor) {
        for (std::int64_t shift = 0; shift > -divisor; --shift) {
            const std::int64_t rest = values[0] - floorDivide(known.values[0] + shift, divisor);
            bool fits = true;
            for (std::size_t k = 1; fits && k < values.size(); ++k) {
                fits = floorDivide(known.values[k] + shift, divisor) + rest == values[k];
            }
            if (fits) {
                return SymExpression::floorDivide(known.expression + SymExpression(shift),
                                                  SymExpression(divisor)) +
                       SymExpression(rest);
            }
        }
    }
    return std::nullopt;
}

} // namespace

std::optional<SymExpression> expressionWithValues(const Values& values, std::span<const KnownNumber> known) {
    std::optional<SymExpression> found;
    for (std::size_t i = 0; !found && i < known.size(); ++i) {
        found = linear(values, known[i]);
    }
    for (std::size_t i = 0; !found && i < known.size(); ++i) {
        for (std::size_t j = i; !found && j < known.size(); ++j) {
            found = product(values, known[i], known[j]);
        }
    }
    for (std::size_t i = 0; !found && i < known.size(); ++i) {
        for (std::size_t j = i; !found && j < known.size(); ++j) {
            found = sum(values, known[i], known[j]);
        }
    }
    for (std::size_t i = 0; !found && i < known.size(); ++i) {
        found = window(values, known[i]);
    }
    for (std::size_t i = 0; !found && i < known.size(); ++i) {
        for (std::size_t j = i; !found && j < known.size(); ++j) {
            KnownNumber pair{known[i].values, known[i].expression * known[j].expression};
            for (std::size_t k = 0; k < values.size(); ++k) {
                pair.values[k] *= known[j].values[k];
            }
            for (std::size_t k = j; !found && k < known.size(); ++k) {
                found = product(values, pair, known[k]);
            }
        }
    }
    return found;
}

} // namespace aotscope::torch
