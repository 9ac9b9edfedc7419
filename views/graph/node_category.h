#pragma once

#include "common/theme.h"
#include "session/snapshots.h"

#include <string_view>
#include <vector>

namespace aotscope::views {

/// What each node's value is to the program, by node id index: from the descriptors PyTorch prints, the
/// sources of the inputs and the dataflow. `Unknown` where none of these tells.
[[nodiscard]] std::vector<Category> nodeCategories(const session::GraphSnapshot& graph);

/// Where a placeholder's value comes from in the user's program; empty: unknown.
[[nodiscard]] std::string_view inputSource(const session::GraphSnapshot& graph, ir::NodeId placeholder);

} // namespace aotscope::views
