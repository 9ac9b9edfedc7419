#pragma once

#include "ir/fx_names.h"
#include "ir/graph.h"

namespace aotscope::passes {

/// The names that a traced graph has given out: those of its nodes, and those that getitems had which nothing
/// used (torch.fx.graph._Namespace, as a pass finds it).
[[nodiscard]] ir::FxNames namesOf(const ir::Graph& traced);

} // namespace aotscope::passes
