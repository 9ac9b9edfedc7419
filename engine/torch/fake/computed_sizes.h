#pragma once

#include "fake/shape_environment.h"

#include "torch_headers.h"

#include <optional>
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

/// Asks for the layout of operands as the quick way below does: strides that were seen as those of contiguous
/// memory are equal to them from then on.
void askForQuickLayout(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments,
                       ShapeEnvironment& environment);

/// Sums, products and quotients whose sizes are symbols take a quick way in PyTorch: where all operands are
/// contiguous, or all have their channels inside, the result is new memory of that format, whatever their
/// strides say of dimensions of one element. Nothing where the quick way is not gone. `result`: its sizes.
[[nodiscard]] std::optional<at::MemoryFormat>
quickFormat(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments, at::IntArrayRef result);

} // namespace aotscope::torch
