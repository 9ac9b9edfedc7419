#pragma once

#include "fake/sym_expression.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace aotscope::torch {

/// Parses an expression; nothing unless it prints as `text` again.
[[nodiscard]] std::optional<SymExpression> readExpression(std::string_view text,
                                                          const NumberSymbols& numbers = {});

/// The same with `read` supplying the expression of each symbol, and without the test of the printed text.
using SymbolReader = std::function<SymExpression(const std::string& name)>;
[[nodiscard]] std::optional<SymExpression> readExpression(std::string_view text, const SymbolReader& read);

} // namespace aotscope::torch
