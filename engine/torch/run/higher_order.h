#pragma once

#include "run/executor.h"

namespace aotscope::torch {

/// Runs a higher-order operator by running its subgraphs: control flow, effects, invoke_subgraph,
/// auto_functionalized, wrappers of random state, flex_attention. Throws RunFailure
/// (run.unsupported_higher_order) with the name of an unknown one. Follows torch 2.11,
/// torch/_higher_order_ops and torch/_prims/rng_prims.py.
[[nodiscard]] c10::IValue callHigherOrder(Executor& executor, const Frame& frame, ir::NodeId node);

} // namespace aotscope::torch
