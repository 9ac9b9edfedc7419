#pragma once

#include "ir/graph.h"

namespace aotscope::torch {

/// Erases arithmetic on symbols that nothing uses, then lets the first node of each expression stand for the
/// others, as far as it follows from the graph's inputs (FX's dedupe_symints). Comes before the other
/// clean-up.
void dedupeSymbols(ir::Graph& graph);

/// Erases nodes that nothing uses (FX's eliminate_dead_code). Kept: placeholders, outputs, operators that
/// change an argument, and random ones.
void eliminateDeadCode(ir::Graph& graph);

} // namespace aotscope::torch
