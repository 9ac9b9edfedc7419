#pragma once

#include "session/snapshots.h"

#include <memory>
#include <string>
#include <unordered_map>

namespace aotscope::session {

/// How long each node of a graph took when it was run, in milliseconds, by its name: names outlive the
/// changes that a partitioner makes to a graph before it asks.
using RuntimeProfile = std::unordered_map<std::string, double>;
using RuntimeProfilePtr = std::shared_ptr<const RuntimeProfile>;

[[nodiscard]] RuntimeProfilePtr runtimeProfile(const RunSnapshot& run);

} // namespace aotscope::session
