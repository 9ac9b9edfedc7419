#pragma once

#include "ir/graph.h"

#include <optional>

namespace aotscope::evidence {

/// Whether grad mode was on while Dynamo traced `program`, judged by its values: an operator's result
/// requires grad only with grad mode on. Off: operators read tensors that require grad, or mutate a
/// parameter, and no result requires grad. Nothing: no tensor requires grad, or the values do not say (graphs
/// parsed from text), or the program sets the mode itself.
[[nodiscard]] std::optional<bool> shownGradMode(const ir::Graph& program);

} // namespace aotscope::evidence
