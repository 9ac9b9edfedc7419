#pragma once

#include "torch_headers.h"

#include "contract/snapshots.h"

namespace aotscope::torch {

/// A contiguous copy of a tensor's elements and metadata.
[[nodiscard]] aot::TensorData tensorData(const at::Tensor& tensor);
/// A number becomes a tensor without dimensions, None one without bytes.
[[nodiscard]] aot::TensorData valueData(const c10::IValue& value);

/// A contiguous tensor with a copy of the data. Throws RunFailure (run.unsupported_input) when dtype, shape
/// and number of bytes do not match.
[[nodiscard]] at::Tensor tensorFromData(const aot::TensorData& data);

} // namespace aotscope::torch
