#pragma once

#include "passes/op_facts.h"
#include "passes/partition_options.h"

#include "ir/graph.h"

#include <vector>

namespace aotscope::passes {

/// What remains of a joint graph.
struct Cleaned {
    std::vector<ir::NodeId> order;
    /// By node id index: the earlier equal node to use instead; invalid: the node itself.
    std::vector<ir::NodeId> replacement;
};

/// Dead code elimination. Follows torch 2.11, torch/fx/graph.py: Graph.eliminate_dead_code.
[[nodiscard]] Cleaned withoutDeadCode(const ir::Graph& joint, const PartitionOptions& options,
                                      const NodeFlags& flags);

/// Merges calls with the same target and arguments between two mutations (option mergeCommonSubexpressions),
/// except random calls and those that share memory with an output; see the rules on equal calls in
/// PartitionRules. Follows torch 2.11 and 2.15, torch/_functorch/compile_utils.py: fx_graph_cse.
[[nodiscard]] Cleaned withoutEqualCalls(const ir::Graph& joint, Cleaned alive,
                                        const PartitionOptions& options, const NodeFlags& flags);

/// What remains of `joint`, as a graph; `joint` itself if that is all of it.
[[nodiscard]] ir::GraphPtr cleanedGraph(const ir::GraphPtr& joint, const Cleaned& cleaned);

} // namespace aotscope::passes
