#pragma once

#include "ir/graph.h"
#include "ir/value.h"

namespace aotscope::passes {

/// A Dynamo graph of the CPU as Dynamo would have captured it on another device: devices that its calls name
/// become `device`, and functions that create tensors without naming one get it as an argument. Follows torch
/// 2.11, torch/utils/_device.py: DeviceContext, and what Module.to does to the program's own tensors. Nested
/// graphs too.
[[nodiscard]] ir::GraphPtr movedProgram(const ir::Graph& program, const ir::Device& device);

} // namespace aotscope::passes
