#pragma once

#include "ir/graph_builder.h"

namespace aotscope::torch {

/// Erases unused symbolic arithmetic, then replaces nodes of equal expressions by the first one, where that
/// is computed from the graph's inputs alone. Runs before eliminateDeadCode. Follows torch 2.11,
/// torch/_inductor/fx_passes/dedupe_symint_uses.py: dedupe_symints.
void dedupeSymbols(ir::GraphBuilder& graph);

/// Erases unused nodes, but keeps placeholders, outputs, mutating operators, assertions, calls that set
/// thread state and, with `keepsRandom`, random operators: PyTorch keeps these in a compile only with
/// `torch._inductor.config.fallback_random`. Follows torch 2.11, torch/fx/graph.py:
/// Graph.eliminate_dead_code.
void eliminateDeadCode(ir::GraphBuilder& graph, bool keepsRandom);

} // namespace aotscope::torch
