#pragma once

#include "base/describe.h"

#include <string>
#include <vector>

namespace aotscope::torch {

/// Where the shape of an operator's results comes from when it is called on fake tensors.
enum class ShapeSource {
    /// LibTorch's own Meta kernel, or a composite of operators that have one.
    LibTorch,
    /// A rule of ours (fake/meta).
    Ours,
    /// None: the operator is run on real zeros, see runOnRealZeros.
    RealZeros,
    /// The results' sizes depend on values: fake tensors give them unbacked symbols.
    DataDependent,
    /// None, and no CPU kernel either.
    None,
};
AOTSCOPE_WORDS(ShapeSource, "C++ meta", "ours", "real zeros", "data dependent", "none")

struct ShapeCoverage {
    /// "aten::addmm", "aten::add.Tensor"
    std::string op;
    ShapeSource source = ShapeSource::None;
    /// Neither changes an argument nor returns an alias of one.
    bool functional = false;
};

/// Every ATen operator, sorted by name.
[[nodiscard]] std::vector<ShapeCoverage> shapeCoverage();

} // namespace aotscope::torch
