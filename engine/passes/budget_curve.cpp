#include "passes/budget_curve.h"

#include "passes/alternative.h"

#include <algorithm>

namespace aotscope::passes {
namespace {

BudgetPoint pointOf(double budget, Partition partition) {
    BudgetPoint point;
    point.budget = budget;
    point.saved = partition.savedTensors.size() + partition.savedSymbols.size();
    point.savedBytes = savedBytes(partition);
    point.recomputed = static_cast<std::size_t>(
        std::ranges::count(partition.report.nodes, ir::NodeFate::Recomputed, &NodeDecision::fate));
    point.flops = recomputedFlops(partition);
    point.stage = partition.report.budget ? partition.report.budget->stage : "the fastest choice";
    point.partition = std::move(partition);
    return point;
}

} // namespace

base::Result<BudgetPoint> budgetPoint(const ir::GraphPtr& joint, const PartitionOptions& options,
                                      double budget, base::Progress progress) {
    PartitionOptions at = options;
    at.partitioner = Partitioner::MinCut;
    at.memoryBudget = budget;
    at.budgetIsChosen = true;
    AOTSCOPE_TRY(partition, partitionJointGraph(joint, at, std::move(progress)));
    return pointOf(budget, std::move(partition));
}

base::Result<std::vector<BudgetPoint>> budgetCurve(const ir::GraphPtr& joint, const PartitionOptions& options,
                                                   std::size_t steps, base::Progress progress) {
    std::vector<BudgetPoint> curve;
    steps = std::max<std::size_t>(steps, 1);
    for (std::size_t i = 0; i <= steps; ++i) {
        progress.report("Budgets", i, steps);
        AOTSCOPE_CHECK(progress.checkStop());
        AOTSCOPE_TRY(point, budgetPoint(joint, options, static_cast<double>(i) / static_cast<double>(steps)));
        curve.push_back(std::move(point));
    }
    return curve;
}

} // namespace aotscope::passes
