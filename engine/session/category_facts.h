#pragma once

#include "layout/category.h"
#include "session/snapshots.h"

namespace aotscope::session {

/// What is known of a graph's values; `graph` outlives it.
[[nodiscard]] inline layout::CategoryFacts categoryFacts(const GraphSnapshot& graph) {
    return {graph.graph.get(), graph.phases, graph.joint, graph.inputSources};
}

} // namespace aotscope::session
