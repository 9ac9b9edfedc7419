#pragma once

#include "torch_headers.h"

#include <optional>

namespace aotscope::torch {

/// The largest difference as a fraction of the largest magnitude of `from`, which has the same sizes; the
/// difference itself where that is 0. Elements of two scales are measured apart (aot::largerScaleFrom).
/// Nothing for tensors without elements; infinite if NaNs or infinities lie elsewhere.
[[nodiscard]] std::optional<double> relativeDistance(const at::Tensor& tensor, const at::Tensor& from);

/// What any two correct runs may be apart: four roundings of the dtype, nothing for integers and bools.
[[nodiscard]] double closeDistance(c10::ScalarType type);

} // namespace aotscope::torch
