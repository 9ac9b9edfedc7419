#pragma once

#include "aot/functorch_config.h"

#include "passes/partition_options.h"

#include <optional>
#include <string_view>

namespace aotscope::aot {

/// Sets the partition's options to those of a configuration. All that partitions a compile's joint graph goes
/// through here.
void applyConfig(const FunctorchConfig& config, passes::PartitionOptions& options);

/// activation_memory_budget_solver: "dp", "greedy", …
[[nodiscard]] std::optional<passes::BudgetSolver> budgetSolverFromName(std::string_view name);

} // namespace aotscope::aot
