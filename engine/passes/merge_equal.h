#pragma once

#include "passes/op_facts.h"
#include "passes/partition_options.h"

#include "ir/graph.h"

#include <vector>

namespace aotscope::passes {

/// What remains of a joint graph after dead code elimination and merging of equal calls.
struct Cleaned {
    std::vector<ir::NodeId> order;
    /// By node id index: the earlier equal node to use instead; invalid: the node itself.
    std::vector<ir::NodeId> replacement;
};

/// Eliminates dead code, then (option mergeCommonSubexpressions) merges calls with the same target and
/// arguments between two mutations, except random calls and those that share memory with an output; see the
/// rules on equal calls in PartitionRules. Follows torch 2.11 and 2.15, torch/fx/graph.py:
/// Graph.eliminate_dead_code, and torch/_functorch/compile_utils.py: fx_graph_cse.
[[nodiscard]] Cleaned cleanJointGraph(const ir::Graph& joint, const PartitionOptions& options,
                                      const NodeFlags& flags);

} // namespace aotscope::passes
