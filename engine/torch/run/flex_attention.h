#pragma once

#include "run/executor.h"

namespace aotscope::torch {

/// `flex_attention` by its definition: scores of all pairs, the score and mask functions run once on tensors
/// of all positions, softmax in float32 or wider. Returns output, log-sum-exp (base 2) and greatest scores.
[[nodiscard]] c10::IValue flexAttention(Executor& executor, const Frame& frame, ir::NodeId node);

/// Its gradient by definition: of query, key, value, and of the buffers that the score function reads.
[[nodiscard]] c10::IValue flexAttentionBackward(Executor& executor, const Frame& frame, ir::NodeId node);

} // namespace aotscope::torch
