#pragma once

#include "passes/partition.h"

#include "base/describe.h"
#include "base/progress.h"
#include "base/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace aotscope::passes {

/// What changes if one node is recomputed instead of saved, or saved instead of recomputed.
struct AlternativeChange {
    /// Recompute for a saved node, Save for a recomputed one.
    Forced choice = Forced::Recompute;
    /// Node names in the joint graph, in this and the next three lists.
    std::vector<std::string> newlySaved;
    std::vector<std::string> noLongerSaved;
    std::vector<std::string> newlyRecomputed;
    std::vector<std::string> noLongerRecomputed;
    /// Saved bytes of the alternative minus saved bytes of `now`. Both count parameters and inputs.
    std::int64_t bytes = 0;
    /// Floating-point operations of the recomputed nodes: alternative minus `now`.
    double flops = 0;
    /// Weight of the min-cut: alternative minus `now`.
    std::int64_t weight = 0;
};
AOTSCOPE_MEMBERS(AlternativeChange, choice, newlySaved, noLongerSaved, newlyRecomputed, noLongerRecomputed,
                 bytes, flops, weight)
struct Alternative : AlternativeChange {
    Partition partition;
};

/// The cheapest partition in which `node` is not saved (if `now` saves it), or is saved (if `now` recomputes
/// it). Costs one more partition: milliseconds for thousands of nodes. Errors: passes.no_such_node,
/// passes.no_choice (the node is neither saved nor recomputed, or the default partitioner decides), and those
/// of partitionJointGraph; passes.no_cut explains why there is no alternative.
[[nodiscard]] base::Result<Alternative> cheapestAlternative(const ir::GraphPtr& joint,
                                                            const PartitionOptions& options,
                                                            const Partition& now, const std::string& node);

/// A node of the joint graph that the backward recomputes, with its floating-point operations.
struct RecomputedNode {
    ir::NodeId node;
    double flops = 0;
};
/// In the joint graph's order.
[[nodiscard]] std::vector<RecomputedNode> recomputedNodes(const Partition& partition);

/// Floating-point operations of the nodes that the backward recomputes.
[[nodiscard]] double recomputedFlops(const Partition& partition);

/// Bytes of the saved tensors, including the parameters and inputs that the backward reads.
[[nodiscard]] std::int64_t savedBytes(const Partition& partition);

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
