#include "passes/alternative.h"

#include "passes/flops.h"

#include <algorithm>
#include <set>

namespace aotscope::passes {

namespace {

using Names = std::set<std::string>;

Names savedOf(const Partition& partition) {
    Names names(partition.savedTensors.begin(), partition.savedTensors.end());
    names.insert(partition.savedSymbols.begin(), partition.savedSymbols.end());
    return names;
}

template<typename Visit>
void forEachRecomputed(const Partition& partition, const Visit& visit) {
    for (const ir::NodeId id : partition.joint->order()) {
        if (partition.report.nodes[id.index()].fate == ir::NodeFate::Recomputed) {
            visit(id);
        }
    }
}

Names recomputedOf(const Partition& partition) {
    Names names;
    forEachRecomputed(partition, [&](ir::NodeId id) { names.insert(partition.joint->node(id).name); });
    return names;
}

/// Names in `first` that are not in `second`.
std::vector<std::string> missing(const Names& first, const Names& second) {
    std::vector<std::string> names;
    std::set_difference(first.begin(), first.end(), second.begin(), second.end(), std::back_inserter(names));
    return names;
}

} // namespace

std::int64_t savedBytes(const Partition& partition) {
    std::int64_t total = 0;
    for (const std::string& name : partition.savedTensors) {
        if (const auto id = partition.joint->tryFind(name)) {
            total += partition.report.nodes[id->index()].bytes;
        }
    }
    return total;
}

std::vector<RecomputedNode> recomputedNodes(const Partition& partition) {
    ValueSizes sizes(*partition.joint, partition.rules);
    std::vector<RecomputedNode> nodes;
    forEachRecomputed(partition, [&](ir::NodeId id) {
        nodes.push_back({id, nodeFlops(*partition.joint, id, sizes, partition.rules)});
    });
    return nodes;
}

double recomputedFlops(const Partition& partition) {
    double total = 0;
    for (const RecomputedNode& node : recomputedNodes(partition)) {
        total += node.flops;
    }
    return total;
}

base::Result<Alternative> cheapestAlternative(const ir::GraphPtr& joint, const PartitionOptions& options,
                                              const Partition& now, const std::string& node) {
    const auto failed = [&](const char* code, std::string message) {
        return base::Error{.code = code, .message = std::move(message), .place = {.node = node}};
    };
    const auto id = now.joint->tryFind(node);
    if (!id) {
        return failed("passes.no_such_node", "The joint graph has no node \"" + node + "\".");
    }
    const ir::NodeFate fate = now.report.nodes[id->index()].fate;
    const bool decided = fate == ir::NodeFate::Saved || fate == ir::NodeFate::Recomputed;
    if (!decided || options.partitioner == Partitioner::Default) {
        return failed("passes.no_choice",
                      decided ? "The default partitioner makes no choice between saving and computing again."
                              : "\"" + node + "\" is neither saved nor recomputed.");
    }
    Alternative alternative;
    alternative.choice = fate == ir::NodeFate::Saved ? Forced::Recompute : Forced::Save;
    PartitionOptions other = options;
    std::erase_if(other.choices, [&](const NodeChoice& choice) { return choice.node == node; });
    other.choices.push_back({node, alternative.choice});
    AOTSCOPE_TRY(partition, partitionJointGraph(joint, other));
    alternative.partition = std::move(partition);
    const Names savedNow = savedOf(now);
    const Names savedThen = savedOf(alternative.partition);
    alternative.newlySaved = missing(savedThen, savedNow);
    alternative.noLongerSaved = missing(savedNow, savedThen);
    const Names againNow = recomputedOf(now);
    const Names againThen = recomputedOf(alternative.partition);
    alternative.newlyRecomputed = missing(againThen, againNow);
    alternative.noLongerRecomputed = missing(againNow, againThen);
    alternative.bytes = savedBytes(alternative.partition) - savedBytes(now);
    alternative.flops = recomputedFlops(alternative.partition) - recomputedFlops(now);
    alternative.weight = alternative.partition.report.cutWeight - now.report.cutWeight;
    return alternative;
}

base::Result<BudgetPoint> budgetPoint(const ir::GraphPtr& joint, const PartitionOptions& options,
                                      double budget, base::Progress progress) {
    PartitionOptions at = options;
    at.partitioner = Partitioner::MinCut;
    at.memoryBudget = budget;
    at.budgetIsChosen = true;
    AOTSCOPE_TRY(partition, partitionJointGraph(joint, at, std::move(progress)));
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

} // namespace aotscope::passes
