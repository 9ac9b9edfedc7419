#pragma once

#include "torch_headers.h"

#include <functional>
#include <memory>
#include <vector>

namespace aotscope::torch {

/// A torch.autograd.Function whose forward and backward are graphs. Follows torch 2.11,
/// torch/_functorch/autograd_function.py: AutogradFunctionApply.
struct GraphFunctionCalls {
    /// Runs the forward graph; returns its outputs and keeps the values that the backward needs.
    std::function<std::vector<at::Tensor>(const std::vector<at::Tensor>& inputs)> forward;
    /// Runs the backward graph on one gradient per output; returns one gradient per input, undefined for
    /// None.
    std::function<std::vector<at::Tensor>(const std::vector<at::Tensor>& gradients)> backward;
    /// Indices of the outputs that the forward marked non-differentiable.
    std::vector<std::int64_t> nonDifferentiable;
    /// Indices of the outputs that are inputs which the forward wrote to and marked so: they are returned
    /// as they are. Others that are inputs are returned as views.
    std::vector<std::int64_t> dirty;
};

/// Calls the function as torch.autograd.Function.apply does: the forward runs under no_grad, and autograd's
/// graph gets one node.
[[nodiscard]] std::vector<at::Tensor> applyGraphFunction(const std::shared_ptr<GraphFunctionCalls>& calls,
                                                         const std::vector<at::Tensor>& inputs);

/// Whether a tensor is a direct output of such a function.
[[nodiscard]] bool isGraphFunctionOutput(const at::Tensor& tensor);

} // namespace aotscope::torch
