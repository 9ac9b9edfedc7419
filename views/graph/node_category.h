#pragma once

#include "common/theme.h"
#include "session/snapshots.h"

#include <vector>

namespace aotscope::views {

/// What each node's value is to the program, by node id index: from the descriptors PyTorch prints, the
/// sources of the inputs and the dataflow. `Unknown` where none of these tells.
[[nodiscard]] std::vector<Category> nodeCategories(const session::GraphSnapshot& graph);

} // namespace aotscope::views
