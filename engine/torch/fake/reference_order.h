#pragma once

#include "fake/reference_layout.h"

#include <cstdint>
#include <vector>

namespace aotscope::torch::reference {

/// `compute_elementwise_output_logical_to_physical_perm`: the order of dimensions in memory, outermost first.
/// `sameShapes`: known to be alike, and not asked for.
[[nodiscard]] std::vector<std::int64_t> memoryOrder(const std::vector<Layout>& layouts,
                                                    bool sameShapes = false);

} // namespace aotscope::torch::reference
