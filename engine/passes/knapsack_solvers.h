#pragma once

#include "passes/knapsack.h"

#include <span>

namespace aotscope::passes::detail {

/// Follows torch 2.11, torch/_functorch/_activation_checkpointing/knapsack.py, one solver each (see
/// knapsack.h).

/// dp_knapsack: dynamic programming over all capacities, with quantized memory.
[[nodiscard]] KnapsackChoice dpKnapsack(std::span<const double> memory, std::span<const double> runtime,
                                        double maxMemory);
/// greedy_knapsack: takes the items that fit, by descending runtime per memory.
[[nodiscard]] KnapsackChoice greedyKnapsack(std::span<const double> memory, std::span<const double> runtime,
                                            double maxMemory);
/// dp_knapsack_sliding_hirschberg: splits the items in halves; needs memory linear in the capacity.
[[nodiscard]] KnapsackChoice hirschbergKnapsack(std::span<const double> memory,
                                                std::span<const double> runtime, double maxMemory);
/// Branch and bound in place of ilp_knapsack's solver.
[[nodiscard]] KnapsackChoice exactKnapsack(std::span<const double> memory, std::span<const double> runtime,
                                           double maxMemory);

} // namespace aotscope::passes::detail
