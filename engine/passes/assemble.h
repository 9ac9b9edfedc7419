#pragma once

#include "passes/extract_graph.h"
#include "passes/joint_program.h"

#include "ir/graph_builder.h"
#include "ir/map_nodes.h"

#include <cstdint>
#include <span>

namespace aotscope::passes {

/// The FX graph of an extracted half. `order` holds positions in the sequence inputs, nodes, output. Nodes
/// keep their names and metadata; subgraphs and constants that a get_attr names are copied too. Follows
/// torch 2.11, torch/_functorch/partitioners.py: _extract_graph_with_inputs_outputs.
[[nodiscard]] ir::GraphBuilder assembleGraph(const JointProgram& program, const ExtractedGraph& extracted,
                                             std::span<const std::uint32_t> order);

} // namespace aotscope::passes
