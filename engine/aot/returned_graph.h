#pragma once

#include "aot/compiled_function.h"

#include "ir/graph.h"
#include "ir/symbolic/expression.h"

namespace aotscope::aot {

/// The graph of a traced function as AOTAutograd returns it: how its code and that of its halves is printed,
/// and sequence numbers from 0, so that it can be compared with a logged one. `hints` are example values of
/// symbols: the partition computes sizes with them. `isWrapped`: the program has list inputs, so AOTAutograd
/// traced a wrapper of it and nodes have no source lines.
[[nodiscard]] ir::GraphPtr asReturned(const CompiledFunction& traced, const ir::SymbolBindings& hints,
                                      bool isWrapped);

} // namespace aotscope::aot
