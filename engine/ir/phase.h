#pragma once

#include "ir/graph.h"

#include <vector>

namespace aotscope::ir {

/// Which half of a joint graph a node belongs to.
enum class Phase : std::uint8_t { Forward, Backward };

/// By node id index. Taken from `partitioner_tag` where the nodes carry it; else derived: a node is forward
/// when a forward output (a returned value that is no gradient) or a node before the first backward node
/// needs it. A graph without tangents is all Forward, except a backward graph (its placeholders are saved
/// values and tangents), which is all Backward.
[[nodiscard]] std::vector<Phase> nodePhases(const Graph& graph);

/// Whether the graph has tangent inputs and forward outputs: a joint graph.
[[nodiscard]] bool isJointGraph(const Graph& graph);

} // namespace aotscope::ir
