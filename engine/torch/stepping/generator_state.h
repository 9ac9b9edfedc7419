#pragma once

#include "torch_headers.h"

namespace aotscope::torch {

/// The states of the process's default generators, for the CPU and, where CUDA is open, for the current GPU,
/// as a tensor of bytes.
[[nodiscard]] at::Tensor generatorState();
void setGeneratorState(const at::Tensor& state);

} // namespace aotscope::torch
