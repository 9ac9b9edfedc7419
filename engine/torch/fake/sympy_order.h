#pragma once

#include <string>

namespace aotscope::torch {

/// Whether sympy puts one expression before another among the factors of a product (`default_sort_key`):
/// numbers, symbols by name, products, sums, functions by name, minima and maxima; those of one kind by their
/// parts. Takes expressions as sympy prints them.
[[nodiscard]] bool comesBefore(const std::string& left, const std::string& right);

/// The same among the arguments of a minimum or maximum (`ordered`): those of fewer parts come first.
[[nodiscard]] bool isArgumentBefore(const std::string& left, const std::string& right);

} // namespace aotscope::torch
