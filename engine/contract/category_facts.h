#pragma once

#include "contract/snapshots.h"
#include "layout/category.h"

namespace aotscope::session {

/// The facts that layout needs to categorize a graph's values. Keeps references: `graph` must outlive it.
[[nodiscard]] inline layout::CategoryFacts categoryFacts(const GraphSnapshot& graph) {
    return {graph.graph.get(), graph.phases, graph.joint, graph.inputSources};
}

} // namespace aotscope::session
