#pragma once

#include "torch_headers.h"

#include <torch/csrc/autograd/function.h>

#include <functional>
#include <string_view>
#include <vector>

namespace aotscope::torch::ops {

/// A node class of autograd ("MulBackward0") as a function.
struct AutogradNode {
    /// Types of what it saved for its backward, in the order of the arguments.
    std::vector<c10::TypePtr> saved;
    /// Gradients of its outputs and what it saved, to gradients of its inputs; undefined where none is
    /// wanted.
    std::function<std::vector<at::Tensor>(const std::vector<at::Tensor>& gradients,
                                          const std::vector<c10::IValue>& saved)>
        backward;
};

/// The class of that name; null when LibTorch has none. LibTorch hands such functions to compiled autograd
/// when it meets a node for the first time; here all classes are asked at the first call.
[[nodiscard]] const AutogradNode* findAutogradNode(std::string_view name);

} // namespace aotscope::torch::ops
