#pragma once

#include "run/reference_frame.h"
#include "run/value_error.h"

#include <span>
#include <vector>

namespace aotscope::torch {

/// The values around one node of the reference.
struct NodeValues {
    /// By node index of the reference's graph: inputs in float64, and the run's own.
    const std::vector<c10::IValue>& inputs;
    const std::vector<c10::IValue>& own;
    /// The run's results.
    const std::vector<at::Tensor>& results;
};

/// How strongly a node's results react to their inputs' last places: the exact results on inputs that were
/// changed a little, all results of one change after the other. `shifts` draws the directions of the changes.
[[nodiscard]] std::vector<at::Tensor> resultsNearby(ReferenceFrame& reference, const ir::Graph& graph,
                                                    ir::NodeId node, const NodeValues& values,
                                                    at::Generator& shifts);

/// Measures the errors of one of the node's results again, and explains what the results on shifted inputs
/// explain.
void measureErrors(const ComparedValue& compared, std::span<const at::Tensor> nearby, std::size_t output,
                   std::size_t outputs, session::NodeError& error);

} // namespace aotscope::torch
