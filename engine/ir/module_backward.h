#pragma once

#include "ir/graph.h"
#include "ir/phase.h"

#include <optional>
#include <string>
#include <vector>

namespace aotscope::ir::detail {

/// Paths by node id index; nothing: not known (yet).
using PathTable = std::vector<std::optional<std::string>>;

/// Gives the backward nodes of a joint graph the paths of the forward nodes they belong to. The backward
/// visits the forward in reverse and its nodes carry the forward's source lines, so a stretch of backward
/// nodes of one line belongs to the last stretch of forward nodes of that line not yet passed, unless a saved
/// value it uses says which one it is.
void deriveBackwardPaths(const Graph& graph, const std::vector<Phase>& phases, PathTable& paths);

} // namespace aotscope::ir::detail
