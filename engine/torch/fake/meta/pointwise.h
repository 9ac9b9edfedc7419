#pragma once

#include "torch_headers.h"

#include <string>
#include <vector>

namespace aotscope::torch {

/// An operator that LibTorch tags as pointwise, with a kernel that gives results the layout of PyTorch's
/// reference operators. Shape and dtype still come from LibTorch's Meta kernel. Follows torch 2.11,
/// torch/_prims/__init__.py: _prim_elementwise_meta.
struct PointwiseOperator {
    c10::OperatorName name;
    c10::KernelFunction kernel;
};

/// Every functional pointwise operator for which LibTorch has a Meta kernel, without those in `except`.
[[nodiscard]] std::vector<PointwiseOperator> pointwiseOperators(const std::vector<std::string>& except);

} // namespace aotscope::torch
