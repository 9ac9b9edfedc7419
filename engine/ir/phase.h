#pragma once

#include "ir/graph.h"

#include <vector>

namespace aotscope::ir {

/// Which half of a joint graph a node belongs to.
enum class Phase : std::uint8_t { Forward, Backward };

/// By node id index. A joint graph's phases are taken from `partitioner_tag` where the nodes carry it (but
/// for the output, which is Backward), else derived from how PyTorch traces: the forward completely, then the
/// backward, then the copies into mutated inputs. So forward is what lies before the last node that a forward
/// output needs; what was saved right after it (`detach` of its result, unpacked elements); and mutations of
/// inputs by forward values. A graph without tangents is all Forward, except a backward graph (its outputs
/// are gradients), which is all Backward.
[[nodiscard]] std::vector<Phase> nodePhases(const Graph& graph);

/// Whether the graph has tangent inputs and forward outputs: a joint graph.
[[nodiscard]] bool isJointGraph(const Graph& graph);

/// Whether the graph computes gradients and nothing else: a backward graph.
[[nodiscard]] bool isBackwardGraph(const Graph& graph);

} // namespace aotscope::ir
