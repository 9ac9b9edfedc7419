#pragma once

#include "ops/interpreter.h"

#include <string_view>

namespace aotscope::torch::ops {

/// Whether a call is the prologue of a backward that AOTAutograd compiled, inside the graph of compiled
/// autograd.
[[nodiscard]] bool isBackwardPrologue(std::string_view target);

/// `call_aot_bwd_prologue(saved tensors, symbols, opaque objects, *gradients)`: the inputs of the backward's
/// graph.
///
/// PyTorch drops gradients by the forward's metadata: of outputs that are views or want none. Here those are
/// kept that fit what the program reads from the result, by place. A gradient of another memory format than
/// the backward was traced with is made contiguous in that. Throws RunFailure (ops.arguments).
[[nodiscard]] Value backwardPrologue(const NodeCall& call);

} // namespace aotscope::torch::ops
