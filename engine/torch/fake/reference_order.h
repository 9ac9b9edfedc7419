#pragma once

#include "fake/reference_layout.h"

#include <cstdint>
#include <vector>

namespace aotscope::torch::reference {

/// The order of dimensions in memory, outermost first. `sameShapes`: the shapes are known to be equal and are
/// not compared. Follows torch 2.11, torch/_prims_common/__init__.py:
/// compute_elementwise_output_logical_to_physical_perm.
[[nodiscard]] std::vector<std::int64_t> memoryOrder(const std::vector<Layout>& layouts,
                                                    bool sameShapes = false);

} // namespace aotscope::torch::reference
