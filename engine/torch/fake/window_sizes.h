#pragma once

#include "fake/shape_environment.h"

#include "torch_headers.h"

#include <vector>

namespace aotscope::torch {

/// The sizes that a window leaves of the symbolic dimensions it slides over, written as PyTorch's shape
/// functions of convolutions and poolings compute them; none for other operators.
[[nodiscard]] std::vector<c10::SymInt> windowSizes(const c10::OperatorHandle& op,
                                                   c10::ArrayRef<c10::IValue> arguments,
                                                   ShapeEnvironment& environment);

} // namespace aotscope::torch
