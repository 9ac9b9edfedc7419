#pragma once

#include "run/executor.h"

namespace aotscope::torch {

/// `flex_attention` by its definition: the full score matrix, the score and mask functions called once on
/// tensors of all positions, softmax in float32 or wider. Returns the output, the log-sum-exp (base 2) and
/// the maximum scores. Follows torch 2.11, torch/_higher_order_ops/flex_attention.py: math_attention.
[[nodiscard]] c10::IValue flexAttention(Executor& executor, const Frame& frame, ir::NodeId node);

/// Its backward by definition (sdpa_dense_backward): gradients of query, key, value and the buffers that the
/// score function reads.
[[nodiscard]] c10::IValue flexAttentionBackward(Executor& executor, const Frame& frame, ir::NodeId node);

} // namespace aotscope::torch
