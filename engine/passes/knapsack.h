#pragma once

#include "passes/partition_options.h"

#include <cstddef>
#include <span>
#include <vector>

/// The 0-1 knapsack solvers of the activation memory budget: they choose which values to save so that the
/// runtime of recomputing the others is least. Follows torch 2.11,
/// torch/_functorch/_activation_checkpointing/knapsack.py: greedy_knapsack, ilp_knapsack, dp_knapsack,
/// dp_knapsack_sliding_hirschberg.
namespace aotscope::passes {

struct KnapsackChoice {
    /// Total runtime of the saved items.
    double runtime = 0;
    /// Positions of the saved items and of the others, in PyTorch's order.
    std::vector<std::size_t> saved;
    std::vector<std::size_t> recomputable;
    /// The solver looked at all that it had to. Ilp gives up after a number of steps, and what it has found
    /// by then may not be the best.
    bool isComplete = true;
};

/// `memory` and `maxMemory` are shares (1: what the fastest choice saves beyond the inputs); `runtime` is in
/// any unit. `memory` and `runtime` have one entry per item.
///
/// Dp and DpKnapsackSlidingHirschberg count memory in ten-thousandths and runtime in single precision, so
/// that they choose what PyTorch chooses. Ilp is branch and bound, which PyTorch leaves to a solver with a
/// tolerance of 0.01%; see KnapsackChoice::isComplete. DynamicMemoryBudgetDp finds the knee of the
/// memory-runtime curve below `maxMemory` and solves for that budget (knapsack_evaluator.py:
/// KnapsackEvaluator.get_knee_point_memory_budget).
[[nodiscard]] KnapsackChoice solveKnapsack(BudgetSolver solver, std::span<const double> memory,
                                           std::span<const double> runtime, double maxMemory);

} // namespace aotscope::passes
