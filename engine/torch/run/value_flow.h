#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

/// How operators pass on the values of their arguments, and which values they accept.
namespace aotscope::torch {

/// Whether the result of an operator consists of its arguments' values, moved or with another dtype. The name
/// has neither namespace nor overload.
[[nodiscard]] bool movesValues(std::string_view name);

/// An operator's name without namespace and overload, and an argument position.
using ArgumentOf = std::pair<std::string_view, std::size_t>;

/// Arguments for which a negative number gives NaN.
[[nodiscard]] std::span<const ArgumentOf> positiveArguments();
/// Arguments that must not be 0 when they are integers.
[[nodiscard]] std::span<const ArgumentOf> divisors();

} // namespace aotscope::torch
