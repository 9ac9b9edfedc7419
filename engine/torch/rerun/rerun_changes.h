#pragma once

#include "rerun/region_values.h"

#include "contract/rerun_request.h"

namespace aotscope::torch {

/// The graph with the changed dtype in place of every float dtype that a node of the region names; `graph`
/// itself where nothing changes. Ids of nodes stay. Throws RunFailure (rerun.twist).
[[nodiscard]] ir::GraphPtr changedGraph(const ir::GraphPtr& graph, const session::RerunRegion& region,
                                        const session::RerunChanges& changes);

/// The region's inputs with other sizes and another dtype, in memory of their own where they change. Throws
/// RunFailure (rerun.twist) for sizes that an input cannot have.
[[nodiscard]] RegionValues changedValues(const ir::Graph& graph, const session::RerunRegion& region,
                                         const RegionValues& values, const session::RerunChanges& changes);

/// The same inputs on the devices of another place. Tensors that share memory go on sharing it, and `written`
/// names the new memory. Outputs and layouts stay as they are.
[[nodiscard]] RegionValues movedValues(const ir::Graph& graph, const session::RerunRegion& region,
                                       const RegionValues& values, const RunPlace& place);

} // namespace aotscope::torch
