#pragma once

#include "torch_headers.h"

#include <torch/csrc/autograd/function.h>

#include <functional>
#include <string_view>
#include <vector>

namespace aotscope::torch::ops {

/// A node class of autograd ("MulBackward0") as a function.
struct AutogradNode {
    /// Types of the values that the node saved for backward, in argument order.
    std::vector<c10::TypePtr> saved;
    /// Maps gradients of the node's outputs and its saved values to gradients of its inputs; an input that
    /// needs no gradient gets an undefined tensor.
    std::function<std::vector<at::Tensor>(const std::vector<at::Tensor>& gradients,
                                          const std::vector<c10::IValue>& saved)>
        backward;
};

/// The node class of that name; null when LibTorch has none. LibTorch binds the backward of a node for
/// compiled autograd through PyCompilerInterface::bind_function (torch 2.11,
/// torch/csrc/dynamo/compiled_autograd.h); the first call collects all classes that way. The pointer stays
/// valid until the program ends.
[[nodiscard]] const AutogradNode* findAutogradNode(std::string_view name);

} // namespace aotscope::torch::ops
