#pragma once

#include "passes/partition_rules.h"

#include "ir/graph.h"

#include <string_view>
#include <vector>

/// The calls of subgraphs (invoke_subgraph) in a joint graph. Follows torch 2.11 and 2.15,
/// torch/_functorch/_aot_autograd/graph_compile.py: run_joint_graph_passes_on_hops.
namespace aotscope::passes {

/// The identifier of an invoke_subgraph call ("fw_subgraph_0"); empty for other nodes.
[[nodiscard]] std::string_view identifierOf(const ir::Node& node);

/// Forward and backward calls in program order.
struct SubgraphCalls {
    std::vector<ir::NodeId> forward;
    std::vector<ir::NodeId> backward;
};
[[nodiscard]] SubgraphCalls subgraphCalls(const ir::Graph& joint);

/// The forward call of each backward call: by their ids if the rules say so and the calls have ids, else the
/// last backward call belongs to the first forward call. Empty: they do not pair.
[[nodiscard]] std::vector<ir::NodeId> forwardCalls(const ir::Graph& joint, const SubgraphCalls& calls,
                                                   const PartitionRules& rules);

} // namespace aotscope::passes
