#pragma once

#include "kernels/kernel_values.h"

#include "ir/graph.h"

#include <string>
#include <vector>

namespace aotscope::kernels {

/// Writes what a kernel computes as CUDA C++. Threads take neighbouring elements, 16 bytes at once where
/// addresses allow it; rows are reduced by as many threads as they have use for, and kept in registers where
/// they fit, so that global memory is read once.
[[nodiscard]] FusedKernel writeKernel(const ir::Graph& graph, std::string name, std::vector<ir::NodeId> nodes,
                                      LoweredKernel lowered);

} // namespace aotscope::kernels
