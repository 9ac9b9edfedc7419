#pragma once

#include "torch_headers.h"

namespace aotscope::torch {

/// The state of the process's default CPU generator, as a tensor of bytes.
[[nodiscard]] at::Tensor generatorState();
void setGeneratorState(const at::Tensor& state);

} // namespace aotscope::torch
