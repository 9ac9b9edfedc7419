#pragma once

#include "run/inputs/tensor_maker.h"
#include "run/state/run_context.h"

#include "ir/graph.h"

#include <vector>

namespace aotscope::torch {

/// Adds the requirements of another user of the value.
void addNeeds(ValueNeeds& into, const ValueNeeds& from);

/// What the users of each node require of its values, by node index. Requirements propagate backwards from
/// operators that take indices, variances or probabilities, through operators that move or rescale values. Of
/// a Dynamo graph the functions and methods that have the names of such operators count.
[[nodiscard]] std::vector<ValueNeeds> valueNeeds(const ir::Graph& graph, const RunContext& context);

} // namespace aotscope::torch
