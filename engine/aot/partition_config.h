#pragma once

#include "aot/compiled_function.h"
#include "aot/functorch_config.h"
#include "aot/versions/torch_version.h"

#include "passes/partition_options.h"

#include <array>
#include <utility>

namespace aotscope::aot {

/// Sets the partition's options to the rules of a release and to those of a configuration. All that
/// partitions a compile's joint graph goes through here.
void applyConfig(TorchVersion torch, const FunctorchConfig& config, passes::PartitionOptions& options);

/// How AOTAutograd partitions the joint graph of a trace, by the min-cut partitioner: the rules of its
/// release, its configuration, and its static inputs. What only a log tells of its symbols is missing.
[[nodiscard]] passes::PartitionOptions partitionOptionsOf(const CompiledFunction& traced);

/// The values of activation_memory_budget_solver.
inline constexpr std::array<std::pair<const char*, passes::BudgetSolver>, 5> budgetSolvers = {
    {{"dp", passes::BudgetSolver::Dp},
     {"greedy", passes::BudgetSolver::Greedy},
     {"ilp", passes::BudgetSolver::Ilp},
     {"dp_knapsack_sliding_hirschberg", passes::BudgetSolver::DpKnapsackSlidingHirschberg},
     {"dynamic_memory_budget_dp", passes::BudgetSolver::DynamicMemoryBudgetDp}}};

} // namespace aotscope::aot
