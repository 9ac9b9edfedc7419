#pragma once

#include "torch_headers.h"

#include <functional>
#include <memory>
#include <vector>

namespace aotscope::torch {

/// An autograd function whose two halves are graphs, as `autograd_function_apply` calls it.
struct GraphFunctionCalls {
    /// Runs the forward graph; returns its outputs and keeps what the backward needs.
    std::function<std::vector<at::Tensor>(const std::vector<at::Tensor>& inputs)> forward;
    /// Runs the backward graph on one gradient per output; returns one per input, undefined where none.
    std::function<std::vector<at::Tensor>(const std::vector<at::Tensor>& gradients)> backward;
    /// Outputs that the forward marked non-differentiable.
    std::vector<std::int64_t> nonDifferentiable;
};

/// Calls it as torch.autograd.Function.apply does: one node in autograd's graph, the forward without grad.
[[nodiscard]] std::vector<at::Tensor> applyGraphFunction(std::shared_ptr<GraphFunctionCalls> calls,
                                                         const std::vector<at::Tensor>& inputs);

/// Whether a tensor comes directly out of such a function.
[[nodiscard]] bool isGraphFunctionOutput(const at::Tensor& tensor);

} // namespace aotscope::torch
