#pragma once

#include "ir/symbolic_tree.h"

#include <cstddef>
#include <string_view>

namespace aotscope::ir {

struct NumberLiteral {
    SymExprNode node;
    std::size_t length = 0;
    /// What is wrong with it; null: nothing.
    const char* problem = nullptr;
};

/// The number that a text begins with.
[[nodiscard]] NumberLiteral readNumber(std::string_view text);

/// A name without arguments: True, False, one of sympy's constants, else a symbol.
[[nodiscard]] SymExprNode constantOrSymbol(std::string_view name);

} // namespace aotscope::ir
