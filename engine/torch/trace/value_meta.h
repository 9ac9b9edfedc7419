#pragma once

#include "torch_headers.h"

#include "ir/graph.h"

#include <string>

namespace aotscope::torch {

class SymbolicNode;

[[nodiscard]] ir::Device deviceOf(c10::Device device);

/// The metadata that a graph stores for a tensor.
[[nodiscard]] ir::TensorMeta tensorMeta(const at::Tensor& tensor);

/// The node of a symbolic number; null for other values.
[[nodiscard]] c10::SymNode symbolIn(const c10::IValue& value);
[[nodiscard]] ir::SymbolicMeta symbolMeta(const SymbolicNode& number);

/// The metadata that a graph stores for a value. Follows torch 2.11, torch/fx/experimental/proxy_tensor.py:
/// extract_val.
[[nodiscard]] ir::ValueMeta valueMeta(const c10::IValue& value);

/// "aten.add.Tensor"
[[nodiscard]] std::string operatorTarget(const c10::OperatorHandle& op);

} // namespace aotscope::torch
