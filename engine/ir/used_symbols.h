#pragma once

#include "ir/argument.h"
#include "ir/value.h"

#include <set>
#include <string>
#include <string_view>

namespace aotscope::ir {

/// Adds the symbols that sizes, strides, offsets and numbers of a value mention.
void addSymbols(const ValueMeta& value, std::set<std::string>& symbols);
/// Adds those that a node's argument writes out.
void addSymbols(const Argument& argument, std::set<std::string>& symbols);

/// A symbol whose value only the data tell: `u0`, for floats `zuf1`.
[[nodiscard]] bool isUnbackedSymbol(std::string_view symbol);

} // namespace aotscope::ir
