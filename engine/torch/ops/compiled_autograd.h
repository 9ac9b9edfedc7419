#pragma once

#include "ops/value.h"

#include <optional>
#include <string_view>

/// The functions that compiled autograd puts into Dynamo's graphs: each member of
/// `torch._dynamo.compiled_autograd.ops` is the backward of one autograd node, as a function of the node's
/// incoming gradients and its saved values. Follows torch 2.11, torch/_dynamo/compiled_autograd.py:
/// OpNamespace, Op.
namespace aotscope::torch::ops {

/// NAME of "torch._dynamo.compiled_autograd.ops.NAME" or of "torch__dynamo_compiled_autograd_ops_NAME", as FX
/// prints it; nullopt for other targets.
[[nodiscard]] std::optional<std::string_view> autogradNodeOf(std::string_view target);

/// Whether `callAutogradNode` knows the name: a node class of LibTorch, or "validate_outputs". Node classes
/// that the compiled program registered itself (CppNode…) are unknown.
[[nodiscard]] bool knowsAutogradNode(std::string_view name);

/// NAME(gradients, saved…): calls LibTorch's own backward function, on real or traced tensors. Returns a list
/// of gradients, None where an input needs none. Throws RunFailure (ops.unknown_function, ops.arguments,
/// ops.type).
[[nodiscard]] Value callAutogradNode(std::string_view name, const Values& args);

} // namespace aotscope::torch::ops
