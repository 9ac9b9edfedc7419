#pragma once

#include "ir/graph.h"

namespace aotscope::torch {

/// Erases nodes that nothing uses (FX's eliminate_dead_code). Kept: placeholders, outputs, operators that
/// change an argument, and random ones.
void eliminateDeadCode(ir::Graph& graph);

} // namespace aotscope::torch
