#pragma once

#include "contract/snapshots.h"

#include <memory>
#include <string>
#include <unordered_map>

namespace aotscope::session {

/// Measured time of each node in milliseconds, by node name: names survive a partitioner's changes to the
/// graph, node ids do not.
using RuntimeProfile = std::unordered_map<std::string, double>;
using RuntimeProfilePtr = std::shared_ptr<const RuntimeProfile>;

[[nodiscard]] RuntimeProfilePtr runtimeProfile(const RunSnapshot& run);

} // namespace aotscope::session
