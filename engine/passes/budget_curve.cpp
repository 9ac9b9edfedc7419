#include "passes/budget_curve.h"

#include "passes/alternative.h"

#include <algorithm>

namespace aotscope::passes {
namespace {

BudgetPoint pointOf(double budget, Partition partition) {
    BudgetPoint point;
    point.budget = budget;
    point.saved = partition.savedTensors.size() + partition.savedSymbols.size();
    for (const std::string& name : partition.savedTensors) {
        if (const auto id = partition.joint->tryFind(name)) {
            point.savedBytes += partition.report.nodes[id->index()].bytes;
        }
    }
    point.recomputed = static_cast<std::size_t>(
        std::ranges::count(partition.report.nodes, NodeFate::Recomputed, &NodeDecision::fate));
    point.flops = recomputedFlops(partition);
    point.stage = partition.report.budget ? partition.report.budget->stage : "the fastest choice";
    point.partition = std::move(partition);
    return point;
}

} // namespace

base::Result<std::vector<BudgetPoint>> budgetCurve(const ir::GraphPtr& joint, const PartitionOptions& options,
                                                   std::size_t steps, base::Progress progress) {
    std::vector<BudgetPoint> curve;
    steps = std::max<std::size_t>(steps, 1);
    for (std::size_t i = 0; i <= steps; ++i) {
        progress.report("Budgets", i, steps);
        if (progress.stopRequested()) {
            return base::canceledError();
        }
        PartitionOptions at = options;
        at.partitioner = Partitioner::MinCut;
        at.memoryBudget = static_cast<double>(i) / static_cast<double>(steps);
        auto partition = partitionJointGraph(joint, at);
        if (!partition) {
            return std::move(partition).error();
        }
        curve.push_back(pointOf(at.memoryBudget, std::move(partition).value()));
    }
    return curve;
}

} // namespace aotscope::passes
