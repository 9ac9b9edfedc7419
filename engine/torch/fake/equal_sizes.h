#pragma once

#include "fake/shape_environment.h"

#include "torch_headers.h"

namespace aotscope::torch {

/// Sizes that an operation wants equal: PyTorch asks, and symbols it saw equal are one from then on.
void askForEqualSizes(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments,
                      ShapeEnvironment& environment);

} // namespace aotscope::torch
