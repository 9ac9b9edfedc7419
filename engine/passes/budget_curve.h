#pragma once

#include "passes/partition.h"

#include "base/progress.h"
#include "base/result.h"

#include <cstdint>
#include <string>

namespace aotscope::passes {

/// One activation memory budget and the partition it leads to.
struct BudgetPoint {
    double budget = 0;
    /// Bytes of the saved tensors, including the parameters and inputs that the backward reads.
    std::int64_t savedBytes = 0;
    std::size_t saved = 0;
    std::size_t recomputed = 0;
    /// Floating-point operations that the backward repeats.
    double flops = 0;
    /// What decided the choice (BudgetReport::stage).
    std::string stage;
    Partition partition;
};

/// The partition for one budget from 0 to 1. Errors: those of partitionJointGraph.
[[nodiscard]] base::Result<BudgetPoint> budgetPoint(const ir::GraphPtr& joint,
                                                    const PartitionOptions& options, double budget,
                                                    base::Progress progress = {});

} // namespace aotscope::passes
