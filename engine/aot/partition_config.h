#pragma once

#include "aot/functorch_config.h"

#include "passes/partition_options.h"

#include <array>
#include <utility>

namespace aotscope::aot {

/// Sets the partition's options to those of a configuration. All that partitions a compile's joint graph goes
/// through here.
void applyConfig(const FunctorchConfig& config, passes::PartitionOptions& options);

/// The values of activation_memory_budget_solver.
inline constexpr std::array<std::pair<const char*, passes::BudgetSolver>, 5> budgetSolvers = {
    {{"dp", passes::BudgetSolver::Dp},
     {"greedy", passes::BudgetSolver::Greedy},
     {"ilp", passes::BudgetSolver::Ilp},
     {"dp_knapsack_sliding_hirschberg", passes::BudgetSolver::DpKnapsackSlidingHirschberg},
     {"dynamic_memory_budget_dp", passes::BudgetSolver::DynamicMemoryBudgetDp}}};

} // namespace aotscope::aot
