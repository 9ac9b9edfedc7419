#pragma once

#include "aot/versions/trace_rules.h"

#include "ir/graph.h"
#include "ir/symbolic/expression.h"

namespace aotscope::aot {

/// A traced graph as AOTAutograd returns it: how its code and that of its halves is printed, and sequence
/// numbers from 0, so that it can be compared with a logged one. `hints` are example values of symbols: the
/// partition computes sizes with them. `isWrapped`: the program has list inputs, so AOTAutograd traced a
/// wrapper of it and nodes have no source lines.
[[nodiscard]] ir::GraphPtr asReturned(const ir::Graph& traced, bool joint, const TraceRules& rules,
                                      const ir::SymbolBindings& hints, bool isWrapped);

} // namespace aotscope::aot
