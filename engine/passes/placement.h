#pragma once

#include "passes/joint_program.h"

#include "ir/graph.h"

#include <vector>

namespace aotscope::passes {

/// The `partitioner_tag` of each node, by node id index. A logged graph does not contain it, so it is
/// derived: forward or backward from the traced phase; of the copies into mutated inputs at the end, the
/// first for each input must be in the forward unless it depends on a tangent, the others in the backward.
/// Follows torch 2.11, torch/_functorch/_aot_autograd/graph_capture_wrappers.py: create_joint,
/// create_functionalized_fn.
[[nodiscard]] std::vector<ir::PartitionerTag> placementTags(const ir::Graph& graph, const NodeFlags& flags);

} // namespace aotscope::passes
