#pragma once

#include "passes/partition.h"

#include "base/progress.h"
#include "base/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace aotscope::passes {

/// One activation-memory budget and what it leads to.
struct BudgetPoint {
    double budget = 0;
    /// Bytes of saved tensors, parameters and inputs that the backward reads included.
    std::int64_t savedBytes = 0;
    std::size_t saved = 0;
    std::size_t recomputed = 0;
    /// Floating-point operations that the backward does again.
    double flops = 0;
    /// How the choice was made (BudgetReport::stage).
    std::string stage;
    Partition partition;
};

/// One budget. Errors: those of partitionJointGraph.
[[nodiscard]] base::Result<BudgetPoint> budgetPoint(const ir::GraphPtr& joint,
                                                    const PartitionOptions& options, double budget,
                                                    base::Progress progress = {});

/// Partitions for `steps` + 1 budgets evenly from 0 to 1, which is the whole trade of memory against
/// computing again. Errors: those of partitionJointGraph; session.canceled.
[[nodiscard]] base::Result<std::vector<BudgetPoint>> budgetCurve(const ir::GraphPtr& joint,
                                                                 const PartitionOptions& options,
                                                                 std::size_t steps,
                                                                 base::Progress progress = {});

} // namespace aotscope::passes
