#include "aot/partition_config.h"

#include <algorithm>
#include <array>

namespace aotscope::aot {

std::optional<passes::BudgetSolver> budgetSolverFromName(std::string_view name) {
    // In the order of the enumeration.
    constexpr std::array<std::string_view, 5> names = {
        "dp", "greedy", "ilp", "dp_knapsack_sliding_hirschberg", "dynamic_memory_budget_dp"};
    const auto* const found = std::ranges::find(names, name);
    return found == names.end() ? std::nullopt
                                : std::optional(static_cast<passes::BudgetSolver>(found - names.begin()));
}

void applyConfig(const FunctorchConfig& config, passes::PartitionOptions& options) {
    options.bans = {.usedFarApart = config.banUsedFarApart,
                    .longFusibleChains = config.banLongFusibleChains,
                    .materializedBackward = config.banMaterializedBackward,
                    .notInAllowlist = config.banNotInAllowlist,
                    .reductions = config.banReductions};
    // Distances lie between these.
    options.maxDistanceFromBackward =
        static_cast<int>(std::clamp<std::int64_t>(config.maxDistFromBw, -1, 1'000'000'000));
    options.recomputeViews = config.recomputeViews;
    options.aggressiveRecomputation = config.aggressiveRecomputation;
    options.treatParametersAsFreeToSave = config.treatParametersAsFreeToSave;
    options.nonBuiltinToInclude = config.isNonBuiltinToInclude;
    options.unsafeAllowOptimizationOfCollectives = config.unsafeOptimizationOfCollectives;
    options.mergeCommonSubexpressions = config.cse;
    options.memoryBudget = config.activationMemoryBudget;
    options.budgetIsChosen = config.chosen.contains("activation_memory_budget");
    options.solver = budgetSolverFromName(config.budgetSolver).value_or(passes::BudgetSolver::Dp);
    options.estimator = config.budgetRuntimeEstimator == "testing" ? passes::RuntimeEstimator::Testing
                                                                   : passes::RuntimeEstimator::Flops;
    options.donatesBuffers = config.donatedBuffer;
}

} // namespace aotscope::aot
