#pragma once

#include <compare>
#include <string>
#include <utility>
#include <vector>

namespace aotscope::torch {

/// What sympy orders expressions by (`default_sort_key`): numbers, symbols by name, products, sums, functions
/// by name, minima and maxima; within a kind by their parts.
struct SympyKey {
    std::pair<int, int> rank;
    std::string className;
    std::string symbol;
    std::vector<SympyKey> parts;
    std::vector<SympyKey> exponent;
    double coefficient = 1;

    friend std::weak_ordering operator<=>(const SympyKey& left, const SympyKey& right);
};

/// The key of an expression as sympy prints it.
[[nodiscard]] SympyKey sympyKey(const std::string& text);

/// Whether sympy orders one expression before another among the factors of a product.
[[nodiscard]] bool comesBefore(const std::string& left, const std::string& right);

} // namespace aotscope::torch
