#pragma once

#include "run/frame.h"

#include <string_view>

namespace aotscope::torch {

/// Values in place of the results of a custom operator that is not registered in this process. They come from
/// the seed and the logged metadata of `node`, or of the `getitem` nodes that read its results from
/// `firstPart` on. Adds a note to the run and to the node.
[[nodiscard]] c10::IValue standIn(std::string_view target, const Frame& frame, ir::NodeId node,
                                  std::size_t firstPart = 0);

} // namespace aotscope::torch
