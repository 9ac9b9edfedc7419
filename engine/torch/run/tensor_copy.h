#pragma once

#include "torch_headers.h"

namespace aotscope::torch {

/// The tensor's whole storage as a one-dimensional view.
[[nodiscard]] at::Tensor wholeStorage(const at::Tensor& tensor);

/// A copy with the same strides and its own storage.
[[nodiscard]] at::Tensor copyWithStorage(const at::Tensor& tensor);

/// Scales a weight as layers initialize it (by the square root of the fan-in), so that activations keep their
/// magnitude in a deep model.
void shrinkWeight(const at::Tensor& weight);

} // namespace aotscope::torch
