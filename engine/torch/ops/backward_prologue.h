#pragma once

#include "ops/interpreter.h"

#include <string_view>

namespace aotscope::torch::ops {

/// Whether a call_function target is `call_aot_bwd_prologue`, the prologue of an AOTAutograd backward in a
/// graph of compiled autograd.
[[nodiscard]] bool isBackwardPrologue(std::string_view target);

/// `call_aot_bwd_prologue(saved tensors, symints, opaque objects, *gradients)`, since torch 2.15 with the
/// gradients in a tuple: the list of inputs of the compiled backward. Follows torch 2.11,
/// torch/_functorch/_aot_autograd/runtime_wrappers.py: _backward_prologue_functional.
///
/// PyTorch reads from the forward's metadata which gradients to drop (outputs that are views or need no
/// gradient). The graph does not hold that metadata, so a gradient is kept when its dtype and sizes match the
/// `getitem` node at its position. A gradient in another memory format than the traced tangent is copied to
/// the traced format. Throws RunFailure (ops.arguments).
[[nodiscard]] Value backwardPrologue(const NodeCall& call);

} // namespace aotscope::torch::ops
