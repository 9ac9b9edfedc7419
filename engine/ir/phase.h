#pragma once

#include "ir/graph.h"

#include <vector>

namespace aotscope::ir {

/// Which half of a joint graph a node belongs to.
enum class Phase : std::uint8_t { Forward, Backward };

/// By node id index. The phases of a joint graph come from the nodes' `partitioner_tag`; without tags they
/// are derived from the order in which PyTorch traces: the whole forward, then the backward, then the copies
/// into mutated inputs. So these nodes are Forward: all up to the last node that a forward output needs;
/// values saved right after it (`detach` of its result, getitems); and copies of forward values into inputs.
/// The output is Backward. A graph without tangents is all Forward, except a backward graph (its outputs are
/// gradients), which is all Backward. Follows torch 2.11,
/// torch/_functorch/_aot_autograd/graph_capture_wrappers.py: create_joint.
[[nodiscard]] std::vector<Phase> nodePhases(const Graph& graph);

/// By node id index: whether the node is a tangent or the backward's effect token, or depends on one.
[[nodiscard]] std::vector<bool> needsTangent(const Graph& graph);

/// Whether a call writes into an input of the graph: "aten.copy_(primals_3, add)".
[[nodiscard]] bool writesInput(const Graph& graph, const Node& node);

/// Whether the graph has tangent inputs and forward outputs: a joint graph.
[[nodiscard]] bool isJointGraph(const Graph& graph);

/// Whether the graph computes only gradients: a backward graph.
[[nodiscard]] bool isBackwardGraph(const Graph& graph);

} // namespace aotscope::ir
