#pragma once

#include "passes/partition_options.h"

#include "ir/graph.h"

#include "base/result.h"

namespace aotscope::passes {

/// Partitions the bodies of invoke_subgraph calls before the graph that calls them: the body of each pair of
/// forward and backward calls is split with the same options, and the forward call then also returns what its
/// backward call needs. Returns `joint` itself if it has no such pair. Follows torch 2.11,
/// torch/_functorch/_aot_autograd/graph_compile.py: run_joint_graph_passes_on_hops. Errors: those of
/// partitionJointGraph, passes.unpaired_subgraph.
[[nodiscard]] base::Result<ir::GraphPtr> partitionSubgraphs(const ir::GraphPtr& joint,
                                                            const PartitionOptions& options);

} // namespace aotscope::passes
