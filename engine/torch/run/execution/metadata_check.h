#pragma once

#include "run/state/run_context.h"

#include "torch_headers.h"

#include "ir/value.h"

#include <string>

namespace aotscope::torch {

/// Describes how a result contradicts the logged metadata; empty when it agrees. Devices and the strides of
/// dimensions of size 1 are not compared. A tensor with the logged shape but other strides is copied to the
/// logged strides, so that later nodes see the layout of the trace.
[[nodiscard]] std::string compareWithMeta(const ir::ValueMeta& meta, c10::IValue& value,
                                          const RunContext& context);

/// Whether a tensor's elements lie in memory so. The strides of dimensions of size 1 lead to none.
[[nodiscard]] bool hasStrides(const at::Tensor& tensor, at::IntArrayRef strides);

/// "[2, 3]"
[[nodiscard]] std::string sizesText(at::IntArrayRef sizes);

} // namespace aotscope::torch
