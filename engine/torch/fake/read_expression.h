#pragma once

#include "fake/sym_expression.h"

#include <optional>
#include <string_view>

namespace aotscope::torch {

/// The expression that sympy prints so; nothing where it would be printed otherwise here.
[[nodiscard]] std::optional<SymExpression> readExpression(std::string_view text);

} // namespace aotscope::torch
