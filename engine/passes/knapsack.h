#pragma once

#include "passes/partition_options.h"

#include <cstddef>
#include <span>
#include <vector>

/// The 0-1 knapsacks of the activation-memory budget
/// (torch/_functorch/_activation_checkpointing/knapsack.py): which values to keep so that the runtime of
/// those not kept is least.
namespace aotscope::passes {

struct KnapsackChoice {
    /// Runtime of what is kept.
    double runtime = 0;
    /// Positions of the items kept, and of the others; their order is PyTorch's.
    std::vector<std::size_t> saved;
    std::vector<std::size_t> recomputable;
};

/// `memory` and `maxMemory` are shares of the budget (1: what the fastest choice saves), `runtime` in any
/// unit; as many of each as items.
///
/// Dp and DpKnapsackSlidingHirschberg count memory in ten-thousandths and runtime in single precision, as
/// PyTorch does, so that their choice is PyTorch's. Ilp is exact (branch and bound), where PyTorch asks a
/// solver that stops within 0.01 % of the best. DynamicMemoryBudgetDp looks for the knee of the curve below
/// `maxMemory` and solves for that budget.
[[nodiscard]] KnapsackChoice solveKnapsack(BudgetSolver solver, std::span<const double> memory,
                                           std::span<const double> runtime, double maxMemory);

} // namespace aotscope::passes
