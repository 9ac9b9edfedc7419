#pragma once

#include "torch_headers.h"

#include <string>
#include <vector>

namespace aotscope::torch {

/// An operator that LibTorch tags as pointwise, with a kernel that lays its results out as PyTorch's
/// reference operators do. LibTorch's Meta kernel still tells shape and dtype.
struct PointwiseOperator {
    c10::OperatorName name;
    c10::KernelFunction kernel;
};

/// Every functional pointwise operator with a Meta kernel of LibTorch's, `except` those named.
[[nodiscard]] std::vector<PointwiseOperator> pointwiseOperators(const std::vector<std::string>& except);

} // namespace aotscope::torch
