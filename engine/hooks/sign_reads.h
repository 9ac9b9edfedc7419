#pragma once

#include "ir/graph.h"

#include <string_view>

namespace aotscope::hooks {

/// Whether a backward reads no more of one of its inputs than which numbers are above 0: relu's gradient
/// (threshold_backward at 0) and comparisons with 0, also of its aliases. False for an unknown input.
[[nodiscard]] bool readsSignOnly(const ir::Graph& backward, std::string_view input);

} // namespace aotscope::hooks
