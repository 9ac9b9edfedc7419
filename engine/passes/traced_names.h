#pragma once

#include "ir/fx_names.h"
#include "ir/graph.h"

namespace aotscope::passes {

/// The names that are taken in a traced graph: those of its nodes, and those of getitem nodes that were dead
/// and removed. Follows torch 2.11, torch/fx/graph.py: _Namespace.
[[nodiscard]] ir::FxNames namesOf(const ir::Graph& traced);

} // namespace aotscope::passes
