#pragma once

#include "torch_headers.h"

#include "session/snapshots.h"

namespace aotscope::torch {

/// Shape, dtype, strides and logical bytes (elements × element size) of a tensor. With `statistics` also
/// minimum, mean and maximum of its finite elements (complex ones by magnitude) and the counts of NaN and
/// infinite ones, in one pass.
[[nodiscard]] session::TensorSummary summarize(const at::Tensor& tensor, bool statistics);

} // namespace aotscope::torch
