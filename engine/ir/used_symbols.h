#pragma once

#include "ir/argument.h"
#include "ir/value.h"

#include <set>
#include <string>
#include <string_view>

namespace aotscope::ir {

/// Adds the symbols in the sizes, strides, offsets and symbolic numbers of a value.
void addSymbols(const ValueMeta& value, std::set<std::string>& symbols);
/// Adds the symbols that are written into an argument of a node.
void addSymbols(const Argument& argument, std::set<std::string>& symbols);

/// Whether the symbol is unbacked, so that its value depends on data: `u0`, for floats `zuf1`. Follows torch
/// 2.11, torch/utils/_sympy/symbol.py: prefix_str.
[[nodiscard]] bool isUnbackedSymbol(std::string_view symbol);

} // namespace aotscope::ir
