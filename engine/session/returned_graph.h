#pragma once

#include "aot/versions/versions.h"

#include "ir/graph.h"
#include "ir/symbolic.h"

namespace aotscope::session {

/// A traced graph as AOTAutograd returns it, so that it can be compared with a logged one: how its code is
/// printed, and sequence numbers from 0. `hints` are example values of symbols, which are needed to compute
/// sizes; `isWrapped`: the program has list inputs, so AOTAutograd traced a wrapper of it and nodes have no
/// source lines.
[[nodiscard]] ir::GraphPtr asReturned(const ir::Graph& traced, bool joint, const aot::TraceRules& rules,
                                      const ir::SymbolBindings& hints, bool isWrapped);

} // namespace aotscope::session
