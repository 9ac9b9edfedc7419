#pragma once

#include "contract/snapshots.h"

#include "passes/partition_options.h"

#include <memory>

namespace aotscope::session {

/// Measured times in milliseconds.
using RuntimeProfilePtr = std::shared_ptr<const passes::NodeRuntimes>;

[[nodiscard]] RuntimeProfilePtr runtimeProfile(const RunSnapshot& run);

} // namespace aotscope::session
