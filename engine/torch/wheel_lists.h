#pragma once

#include <string_view>

/// PyTorch's own lists of what it has, which the program's coverage is measured against; embedded at build
/// time.
namespace aotscope::torch::detail {

/// resources/decomposition_lists.txt: "core aten::addcmul", one a line.
[[nodiscard]] std::string_view decompositionLists();

/// resources/function_names.txt: the functions of torch, torch.nn.functional, torch.fft, torch.linalg and
/// torch.special and the methods of Tensor, "torch.linalg.norm", one a line.
[[nodiscard]] std::string_view functionNames();

} // namespace aotscope::torch::detail
