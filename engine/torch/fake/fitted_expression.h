#pragma once

#include "fake/sym_expression.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// Finding the expression of a size from the values it takes.
namespace aotscope::torch {

/// A number with an expression, known for every value of the symbols that is traced.
struct KnownNumber {
    std::vector<std::int64_t> values;
    SymExpression expression;
};

/// The first expression of known numbers that has these values: a multiple and a rest of one, a multiple of
/// two's product, two's sum and a rest, one divided as sliding windows divide (with floor), a multiple of
/// three's product. Nothing where none has. `values` holds one value per choice of symbols, at least two.
[[nodiscard]] std::optional<SymExpression> expressionWithValues(const std::vector<std::int64_t>& values,
                                                                std::span<const KnownNumber> known);

} // namespace aotscope::torch
