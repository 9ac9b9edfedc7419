#pragma once

#include "wrappers/caller_side.h"

#include "ir/graph.h"
#include "steps/call_record.h"

#include <functional>
#include <string>
#include <vector>

/// Which elements of a call's results depend on memory that nothing has written (`torch.empty`): their
/// numbers are those of whatever lay there, so that two calls cannot be compared by them.
namespace aotscope::torch {

/// Whether the graph, or one inside it, has an operator that leaves memory unwritten. Of a Dynamo graph
/// the functions and methods count that do.
[[nodiscard]] bool leavesMemoryUnwritten(const ir::Graph& graph);

/// For each value that a caller sees, in the order of `seenTensors`, which elements depend on unwritten
/// memory; undefined: none.
using UnwrittenElements = std::vector<at::Tensor>;

/// Outputs, arguments after the call, gradients; undefined for what is no strided tensor.
[[nodiscard]] std::vector<at::Tensor> seenTensors(const CallerSide& side);

/// Calls twice in the same way, with new memory full of zeros and full of ones. `call` returns what its
/// caller sees.
[[nodiscard]] UnwrittenElements unwrittenElements(const std::function<std::vector<at::Tensor>()>& call);

/// Makes those elements 0 on a side, so that only others are compared.
void clearUnwritten(const CallerSide& side, const UnwrittenElements& elements);

/// Says in each compared value how many of its elements were not compared.
void tellUnwritten(const CallerSide& side, const std::vector<std::string>& names,
                   const UnwrittenElements& elements, std::vector<steps::ComparedValue>& values);

} // namespace aotscope::torch
