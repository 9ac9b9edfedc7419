#pragma once

#include "torch_headers.h"

#include "ir/graph.h"

#include <string>

namespace aotscope::torch {

[[nodiscard]] ir::Device deviceOf(c10::Device device);

/// What a graph says of a tensor.
[[nodiscard]] ir::TensorMeta tensorMeta(const at::Tensor& tensor);

/// What a graph says of a fake tensor or number.
[[nodiscard]] ir::ValueMeta valueMeta(const c10::IValue& value);

/// "aten.add.Tensor"
[[nodiscard]] std::string operatorTarget(const c10::OperatorHandle& op);

} // namespace aotscope::torch
