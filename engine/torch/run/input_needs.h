#pragma once

#include "run/run_context.h"
#include "run/tensor_maker.h"

#include "ir/graph.h"

#include <vector>

namespace aotscope::torch {

/// What a graph's nodes expect of the values of others, by node id: found by going backwards from the
/// operators that take indexes, variances or probabilities, through operators that move or rescale values.
[[nodiscard]] std::vector<ValueNeeds> valueNeeds(const ir::Graph& graph, const RunContext& context);

} // namespace aotscope::torch
