#pragma once

#include "timeline/node_match.h"

namespace aotscope::timeline {

/// Adds the nodes whose operators were called in the order of a graph, one after the other inside one event
/// (where a graph runs node by node: backend "aot_eager", or eager mode).
void matchByOrder(const Timeline& timeline, NodeMatches& matches);

} // namespace aotscope::timeline
