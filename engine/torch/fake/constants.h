#pragma once

#include "fake/shape_environment.h"

#include "torch_headers.h"

namespace aotscope::torch {

/// Runs a call on constants: all its arguments are numbers, or tensors of one element whose values the traced
/// program fixed (`torch.tensor(4)`) or computed from such. Pops the arguments and pushes fake tensors that
/// keep their values, so that `torch.div(32, 8)` can be a size. Returns false and leaves `stack` as it was if
/// an argument is no constant or a result has more than one element.
///
/// Follows torch 2.11, torch/_subclasses/fake_tensor.py: FakeTensorMode._dispatch_impl (FakeTensor.constant,
/// CONSTANT_NUMEL_LIMIT).
[[nodiscard]] bool callOnConstants(const c10::OperatorHandle& op, c10::Stack& stack,
                                   const ShapeEnvironment& environment);

} // namespace aotscope::torch
