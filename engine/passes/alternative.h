#pragma once

#include "passes/partition.h"

#include "base/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace aotscope::passes {

/// What would happen if one node were treated the other way.
struct Alternative {
    /// Recompute for a saved node, Save for one that is computed again.
    Forced choice = Forced::Recompute;
    Partition partition;
    /// Names in the joint graph.
    std::vector<std::string> newlySaved;
    std::vector<std::string> noLongerSaved;
    std::vector<std::string> newlyRecomputed;
    std::vector<std::string> noLongerRecomputed;
    /// Saved bytes then less saved bytes now; parameters and inputs that are kept anyway count in both.
    std::int64_t bytes = 0;
    /// Floating-point operations of what is computed again, then less now.
    double flops = 0;
    /// Weight of the cut, then less now.
    std::int64_t weight = 0;
};

/// The cheapest partition in which `node` is not saved (when `now` saves it), or is saved (when it is
/// computed again). Takes one more partition: milliseconds for thousands of nodes. Errors:
/// passes.no_such_node, passes.no_choice (the node is neither saved nor computed again, or the default
/// partitioner decides), and those of partitionJointGraph: passes.no_cut says why there is no other way.
[[nodiscard]] base::Result<Alternative> cheapestAlternative(const ir::GraphPtr& joint,
                                                            const PartitionOptions& options,
                                                            const Partition& now, const std::string& node);

/// A node of the joint graph that the backward computes again, with its floating-point operations.
struct RecomputedNode {
    ir::NodeId node;
    double flops = 0;
};
/// In the joint graph's order.
[[nodiscard]] std::vector<RecomputedNode> recomputedNodes(const Partition& partition);

/// Floating-point operations of the nodes that the backward computes again.
[[nodiscard]] double recomputedFlops(const Partition& partition);

/// Bytes of the saved tensors, parameters and inputs that the backward reads included.
[[nodiscard]] std::int64_t savedBytes(const Partition& partition);

} // namespace aotscope::passes
