#include "aot/partition_config.h"

#include "aot/versions/versions.h"

#include <algorithm>

namespace aotscope::aot {

void applyConfig(TorchVersion torch, const FunctorchConfig& config, passes::PartitionOptions& options) {
    options.rules = torchRules(torch).partition;
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
    options.keepUnusedRandom = config.inductorFallbackRandom;
    options.memoryBudget = config.activationMemoryBudget;
    options.budgetIsChosen = config.chosen.contains("activation_memory_budget");
    options.budgetRequiresFullCoverage = config.budgetRequiresFullCoverage;
    options.solver =
        base::fromWord<passes::BudgetSolver>(config.budgetSolver).value_or(passes::BudgetSolver::Dp);
    options.estimator = base::fromWord<passes::RuntimeEstimator>(config.budgetRuntimeEstimator)
                            .value_or(passes::RuntimeEstimator::Flops);
    options.donatesBuffers = config.donatedBuffer;
    options.unliftTokens = config.unliftEffectTokens;
}

passes::PartitionOptions partitionOptionsOf(const CompiledFunction& traced) {
    passes::PartitionOptions options;
    applyConfig(traced.configuration.torch, traced.configuration.functorch, options);
    options.staticInputs = traced.metadata.staticInputIndices;
    return options;
}

} // namespace aotscope::aot
