#pragma once

#include "torch_headers.h"

#include "session/snapshots.h"

namespace aotscope::torch {

/// A contiguous copy of a tensor's elements.
[[nodiscard]] aot::TensorData tensorData(const at::Tensor& tensor);
/// Numbers and None as tensors without dimensions or bytes.
[[nodiscard]] aot::TensorData valueData(const c10::IValue& value);

/// A contiguous tensor with a copy of the data. Throws RunFailure (run.unsupported_input) when dtype, shape
/// and number of bytes do not belong together.
[[nodiscard]] at::Tensor tensorFromData(const aot::TensorData& data);

} // namespace aotscope::torch
