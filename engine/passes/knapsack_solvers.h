#pragma once

#include "passes/knapsack.h"

#include <span>

namespace aotscope::passes::detail {

/// Dynamic programming over all capacities, with quantized memory.
[[nodiscard]] KnapsackChoice dpKnapsack(std::span<const double> memory, std::span<const double> runtime,
                                        double maxMemory);
/// Takes the items that fit, by descending runtime per memory.
[[nodiscard]] KnapsackChoice greedyKnapsack(std::span<const double> memory, std::span<const double> runtime,
                                            double maxMemory);
/// Splits the items in halves and divides the capacity between them; needs memory linear in the capacity.
[[nodiscard]] KnapsackChoice hirschbergKnapsack(std::span<const double> memory,
                                                std::span<const double> runtime, double maxMemory);
/// Branch and bound, exact.
[[nodiscard]] KnapsackChoice exactKnapsack(std::span<const double> memory, std::span<const double> runtime,
                                           double maxMemory);

} // namespace aotscope::passes::detail
