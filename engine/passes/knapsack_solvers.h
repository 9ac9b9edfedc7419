#pragma once

#include "passes/knapsack.h"

#include <span>

namespace aotscope::passes::detail {

/// Quantized dynamic program over all capacities.
[[nodiscard]] KnapsackChoice dpKnapsack(std::span<const double> memory, std::span<const double> runtime,
                                        double maxMemory);
/// Takes what gives the most runtime per memory as long as it fits.
[[nodiscard]] KnapsackChoice greedyKnapsack(std::span<const double> memory, std::span<const double> runtime,
                                            double maxMemory);
/// Divides the items in halves and the capacity between them, in memory linear in the capacity.
[[nodiscard]] KnapsackChoice hirschbergKnapsack(std::span<const double> memory,
                                                std::span<const double> runtime, double maxMemory);
/// Branch and bound, exact.
[[nodiscard]] KnapsackChoice exactKnapsack(std::span<const double> memory, std::span<const double> runtime,
                                           double maxMemory);

} // namespace aotscope::passes::detail
