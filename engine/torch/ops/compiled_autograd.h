#pragma once

#include "ops/value.h"

#include <optional>
#include <string_view>

/// The functions that compiled autograd puts into Dynamo's graphs: `torch._dynamo.compiled_autograd.ops`
/// holds the backward of each autograd node as a function of the gradients that reach it and of what it
/// saved.
namespace aotscope::torch::ops {

/// NAME of "torch._dynamo.compiled_autograd.ops.NAME" and of the form FX prints,
/// "torch__dynamo_compiled_autograd_ops_NAME"; nothing for other targets.
[[nodiscard]] std::optional<std::string_view> autogradNodeOf(std::string_view target);

/// Whether `callAutogradNode` knows the name: a node class of LibTorch, or "validate_outputs". Those that the
/// compiled program registered itself (CppNode…) are unknown.
[[nodiscard]] bool knowsAutogradNode(std::string_view name);

/// NAME(gradients, saved…): LibTorch's own function, on tensors of any kind. Returns a list in which None
/// stands for a gradient that is not wanted. Throws RunFailure (ops.unknown_function, ops.arguments,
/// ops.type).
[[nodiscard]] Value callAutogradNode(std::string_view name, const Values& args);

} // namespace aotscope::torch::ops
