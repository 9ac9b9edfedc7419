#pragma once

#include "ir/graph.h"

#include <vector>

namespace aotscope::passes {

/// By node id index: whether the memory of a value still holds, when the graph has ended, what was there
/// before anything wrote to it (`empty`), or what was computed from that. No two runs have such numbers in
/// common.
///
/// It is followed by data flow: what reads such memory makes more of it, and a view shares it. Writing over
/// all of it ends that, in place (`copy_`) or as an operator that only looks at its operand's size
/// (`aten.copy`, `zeros_like`). Of memory that is written piece by piece, the pieces are known, but not
/// whether they are all. Bodies of nested graphs are not looked into. For frozen graphs.
[[nodiscard]] std::vector<bool> unwrittenValues(const ir::Graph& graph);

} // namespace aotscope::passes
