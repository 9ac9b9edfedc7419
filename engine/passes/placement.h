#pragma once

#include "passes/joint_program.h"

#include "ir/graph.h"

#include <vector>

namespace aotscope::passes {

/// The `partitioner_tag` of each node, by node id index. Logged text does not carry it; then it is derived as
/// AOTAutograd sets it: forward and backward by how the graph was traced, and of the copies into mutated
/// inputs at the end those that do not need a tangent belong to the forward, but only the first for each
/// input.
[[nodiscard]] std::vector<PlacementTag> placementTags(const ir::Graph& graph, const NodeFlags& flags);

} // namespace aotscope::passes
