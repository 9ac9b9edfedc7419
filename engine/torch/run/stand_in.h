#pragma once

#include "run/frame.h"

#include <string_view>

namespace aotscope::torch {

/// Values in place of the results of a custom operator that is not registered in this process: made from the
/// logged metadata of `node` (and of the nodes that take its parts, from `firstPart` on) and the seed. Says
/// so in the run's notes and the node's.
[[nodiscard]] c10::IValue standIn(std::string_view target, const Frame& frame, ir::NodeId node,
                                  std::size_t firstPart = 0);

} // namespace aotscope::torch
