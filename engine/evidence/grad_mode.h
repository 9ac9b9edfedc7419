#pragma once

#include "ir/graph.h"

#include <optional>

namespace aotscope::evidence {

/// Whether gradient mode was on while Dynamo made `program`, as the program's own values show it: the result
/// of an operator wants a gradient only where the mode is on. Off: operators read tensors that want one, or
/// write to a parameter, and no result wants any. Nothing: no tensor wants a gradient, or the values do not
/// say (graphs parsed from text), or the program sets the mode itself.
[[nodiscard]] std::optional<bool> shownGradMode(const ir::Graph& program);

} // namespace aotscope::evidence
