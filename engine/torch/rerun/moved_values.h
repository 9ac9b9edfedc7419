#pragma once

#include "rerun/region_values.h"

namespace aotscope::torch {

/// The same inputs on the devices of another place. Tensors that share memory go on sharing it, and `written`
/// names the new memory. Outputs and layouts stay as they are.
[[nodiscard]] RegionValues movedValues(const ir::Graph& graph, const session::RerunRegion& region,
                                       const RegionValues& values, const RunPlace& place);

} // namespace aotscope::torch
