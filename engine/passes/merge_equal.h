#pragma once

#include "passes/op_facts.h"
#include "passes/partition_options.h"

#include "ir/graph.h"

#include <vector>

namespace aotscope::passes {

/// What is left of a joint graph after dead nodes were taken out and equal calls merged.
struct Cleaned {
    std::vector<ir::NodeId> order;
    /// By node id index: the earlier node that stands for it; invalid: itself.
    std::vector<ir::NodeId> replacement;
};

/// Node.eliminate_dead_code, then fx_graph_cse when the options ask for it: calls with the same target and
/// arguments between two mutations are one, but for random ones and those that share memory with an output.
[[nodiscard]] Cleaned cleanJointGraph(const ir::Graph& joint, const PartitionOptions& options,
                                      const NodeFlags& flags);

} // namespace aotscope::passes
