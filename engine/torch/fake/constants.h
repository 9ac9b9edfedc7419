#pragma once

#include "fake/shape_environment.h"

#include "torch_headers.h"

namespace aotscope::torch {

/// Runs a call whose tensors are all constants: numbers, tensors of one element that the traced program made
/// itself (`torch.tensor(4)`), and what was computed of such. Pops the arguments and pushes fake tensors that
/// remember their values, so that `torch.div(32, 8)` can be a size. Follows FakeTensorMode.dispatch
/// (torch/_subclasses/fake_tensor.py of 2.11: FakeTensor.constant, CONSTANT_NUMEL_LIMIT). False: not all are
/// constants, or a result is larger than that; `stack` is as it was.
[[nodiscard]] bool callOnConstants(const c10::OperatorHandle& op, c10::Stack& stack,
                                   const ShapeEnvironment& environment);

} // namespace aotscope::torch
