#pragma once

#include "fake/shape_environment.h"

#include "torch_headers.h"

#include <vector>

namespace aotscope::torch {

/// What a window leaves of the dimensions it slides over, the first of them being `first`.
struct WindowSizes {
    std::size_t first = 0;
    std::vector<c10::SymInt> sizes;
};

/// Of convolutions and poolings over symbolic dimensions, written as PyTorch's shape functions compute them;
/// none for other operators.
[[nodiscard]] WindowSizes windowSizes(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments,
                                      ShapeEnvironment& environment);

} // namespace aotscope::torch
