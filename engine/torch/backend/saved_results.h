#pragma once

#include "torch_headers.h"

#include "ir/graph.h"

#include <functional>
#include <vector>

namespace aotscope::torch {

/// An input of a program of compiled autograd that autograd saved as the result of an operator, and the input
/// that it is the result of.
struct SavedResult {
    ir::NodeId result;
    ir::NodeId of;
    std::function<at::Tensor(const at::Tensor& of)> compute;
};

/// Those of products: their derivative is written with the result in eager mode and without it where it is
/// traced, so the two agree only on a true product. Follows torch 2.15,
/// torch/csrc/autograd/FunctionsManual.cpp: prod_backward.
[[nodiscard]] std::vector<SavedResult> savedResults(const ir::Graph& program);

} // namespace aotscope::torch
