#pragma once

#include "fake/shape_environment.h"

#include "torch_headers.h"

#include <vector>

namespace aotscope::torch {

/// Sizes of what an operator returns, written in symbols as PyTorch's shape functions compute them: ranges,
/// padding, joining, diagonals, columns of images, group norm's gradient,
/// triangles, distances of pairs. Empty for other operators.
[[nodiscard]] std::vector<c10::SymInt> computedSizes(const c10::OperatorHandle& op,
                                                     c10::ArrayRef<c10::IValue> arguments);

/// How long the diagonal is that a gradient's last dimension is put back into (`diagonal_backward`).
[[nodiscard]] c10::SymInt diagonalLength(c10::ArrayRef<c10::IValue> arguments);

/// The strides of what an operator returns, where its shape function makes the result out of another
/// tensor's view; empty for other operators.
[[nodiscard]] std::vector<c10::SymInt> computedStrides(const c10::OperatorHandle& op,
                                                       c10::ArrayRef<c10::IValue> arguments);

} // namespace aotscope::torch
