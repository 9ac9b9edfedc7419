#pragma once

#include "ir/graph_builder.h"

namespace aotscope::torch {

/// Erases unused symbolic arithmetic, then replaces nodes of equal expressions by the first one, where that
/// is computed from the graph's inputs alone. Runs before eliminateDeadCode. Follows torch 2.11,
/// torch/_inductor/fx_passes/dedupe_symint_uses.py: dedupe_symints.
void dedupeSymbols(ir::GraphBuilder& graph);

/// Erases unused nodes, but keeps placeholders, outputs, mutating and random operators, assertions, and calls
/// that set thread state. Follows torch 2.11, torch/fx/graph.py: Graph.eliminate_dead_code.
void eliminateDeadCode(ir::GraphBuilder& graph);

} // namespace aotscope::torch
