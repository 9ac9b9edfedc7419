#pragma once

#include "torch_headers.h"

#include "contract/snapshots.h"

namespace aotscope::torch {

/// Shape, dtype, strides and logical bytes (elements × element size) of a tensor. With `statistics` also
/// minimum, mean and maximum of its finite elements (complex ones by magnitude) and the counts of NaN,
/// infinite, zero and subnormal ones, in one pass; with `bins` also a histogram, in another.
[[nodiscard]] session::TensorSummary summarize(const at::Tensor& seen, bool statistics, std::size_t bins = 0);

} // namespace aotscope::torch
