#pragma once

#include "fake/sym_expression.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace aotscope::torch {

/// The expression that sympy prints so; nothing where it would be printed otherwise here.
[[nodiscard]] std::optional<SymExpression> readExpression(std::string_view text);

/// The same with something else in the place of symbols, however it is printed.
using SymbolReader = std::function<SymExpression(const std::string& name)>;
[[nodiscard]] std::optional<SymExpression> readExpression(std::string_view text, const SymbolReader& read);

} // namespace aotscope::torch
