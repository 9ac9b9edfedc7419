#pragma once

#include "torch_headers.h"

#include "session/snapshots.h"

namespace aotscope::torch {

/// Shape, dtype, strides and logical bytes of a tensor, and, when asked for, least, mean and greatest finite
/// element and the number of NaN and infinite ones, in one pass over its memory.
[[nodiscard]] session::TensorSummary summarize(const at::Tensor& tensor, bool statistics);

} // namespace aotscope::torch
