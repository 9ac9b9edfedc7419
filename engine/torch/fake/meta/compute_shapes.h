#pragma once

#include "torch_headers.h"

namespace aotscope::torch {

/// Whether a Meta kernel (LibTorch's or ours) or a composite answers for the operator. LibTorch's dispatcher
/// does not tell: it has a fallback for Meta that throws.
[[nodiscard]] bool hasShapeKernel(const c10::OperatorHandle& op);

/// Calls an operator on the meta tensors of the stack (arguments in schema order) and leaves meta results:
/// by its shape kernel, and where there is none, or a composite comes upon an operator that has none, on real
/// zeros (real_zeros.h). Throws c10::Error: with PyTorch's words when the arguments do not fit,
/// c10::NotImplementedError when no route is left.
void computeShapes(const c10::OperatorHandle& op, c10::Stack& stack);

} // namespace aotscope::torch
