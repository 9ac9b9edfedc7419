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

} // namespace aotscope::passes
