#pragma once

#include "fake/sym_expression.h"

namespace aotscope::torch {

/// The ranges of a sum and of a negated number; a bound that does not fit in 64 bits is unknown.
[[nodiscard]] SymExpression::Range sum(const SymExpression::Range& left, const SymExpression::Range& right);
[[nodiscard]] SymExpression::Range negated(const SymExpression::Range& range);

} // namespace aotscope::torch
