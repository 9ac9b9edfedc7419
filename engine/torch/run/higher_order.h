#pragma once

#include "run/executor.h"

#include <string_view>

namespace aotscope::torch {

[[nodiscard]] bool isHigherOrder(std::string_view target);

/// Runs a higher-order operator by running its subgraphs: control flow, effects, invoke_subgraph,
/// functionalized mutation, random-state wrappers, attention with a score function. Throws RunFailure
/// (run.unsupported_higher_order) that names one it cannot run.
[[nodiscard]] c10::IValue callHigherOrder(Executor& executor, const Frame& frame, ir::NodeId node);

} // namespace aotscope::torch
