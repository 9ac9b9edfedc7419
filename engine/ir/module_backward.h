#pragma once

#include "ir/graph.h"
#include "ir/phase.h"

#include <optional>
#include <string>
#include <vector>

namespace aotscope::ir::detail {

/// Paths by node id index; nothing: not known (yet).
using PathTable = std::vector<std::optional<std::string>>;

/// Gives the backward nodes of a joint graph the paths of the forward nodes they belong to. The backward runs
/// in reverse and its nodes carry the forward's source lines. So a run of backward nodes of one line belongs
/// to the last run of forward nodes of that line that has no partner yet, unless a saved value that it uses
/// identifies the run.
void deriveBackwardPaths(const Graph& graph, const std::vector<Phase>& phases, PathTable& paths);

} // namespace aotscope::ir::detail
