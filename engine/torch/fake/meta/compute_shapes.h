#pragma once

#include "torch_headers.h"

#include <string>
#include <vector>

namespace aotscope::torch {

/// Whether an operator has a Meta kernel (LibTorch's or ours) or a composite one. The dispatcher's own answer
/// does not help: its fallback for Meta is a kernel that throws.
[[nodiscard]] bool hasShapeKernel(const c10::OperatorHandle& op);

/// Calls an operator on meta tensors: pops its arguments (in schema order) and pushes meta results. Runs the
/// operator on real zeros (real_zeros.h) if it has no shape kernel, or if its composite kernel calls an
/// operator without one; `onZeros` then gets its name. Throws c10::Error: with PyTorch's message if the
/// arguments do not fit, c10::NotImplementedError if no route is left.
void computeShapes(const c10::OperatorHandle& op, c10::Stack& stack, std::vector<std::string>& onZeros);

} // namespace aotscope::torch
