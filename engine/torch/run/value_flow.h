#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

/// What operators do with the values of their arguments, and which values they take.
namespace aotscope::torch {

/// Operators whose result holds values of their arguments, elsewhere or with another dtype.
[[nodiscard]] bool movesValues(std::string_view name);

/// An operator without namespace and overload, and the position of an argument.
using ArgumentOf = std::pair<std::string_view, std::size_t>;

/// Arguments of which a negative number would give NaN.
[[nodiscard]] std::span<const ArgumentOf> positiveArguments();
/// Arguments that must not be 0 where they are integers.
[[nodiscard]] std::span<const ArgumentOf> divisors();

} // namespace aotscope::torch
