#pragma once

#include <string>

namespace aotscope::torch {

/// Whether sympy orders one expression before another among the factors of a product (`default_sort_key`):
/// numbers, symbols by name, products, sums, functions by name, minima and maxima; within a kind by their
/// parts. Takes expressions as sympy prints them.
[[nodiscard]] bool comesBefore(const std::string& left, const std::string& right);

/// The same for the arguments of a minimum or maximum (`ordered`): those with fewer parts come first.
[[nodiscard]] bool isArgumentBefore(const std::string& left, const std::string& right);

} // namespace aotscope::torch
