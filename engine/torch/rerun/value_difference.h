#pragma once

#include "torch_headers.h"

#include "contract/rerun_result.h"

namespace aotscope::torch {

/// How far each element of `computed` is from that of `expected`, in float64; complex ones by the magnitude
/// of the difference. Equal infinities, and NaN in both, are no difference.
[[nodiscard]] session::ValueDifference valueDifference(const at::Tensor& computed,
                                                       const at::Tensor& expected);

} // namespace aotscope::torch
