#pragma once

#include "passes/partition_options.h"

#include "ir/graph.h"

#include "base/result.h"

namespace aotscope::passes {

/// Partitions the bodies that invoke_subgraph calls share before the graph that calls them
/// (run_joint_graph_passes_on_hops): of each pair of forward and backward calls the body is split by the same
/// partitioner, the forward call then returns what its backward needs, too. Gives `joint` itself when it has
/// no such pair. Errors: those of partitionJointGraph, passes.unpaired_subgraph.
[[nodiscard]] base::Result<ir::GraphPtr> partitionSubgraphs(const ir::GraphPtr& joint,
                                                            const PartitionOptions& options);
[[nodiscard]] bool hasSubgraphPairs(const ir::Graph& joint);

} // namespace aotscope::passes
