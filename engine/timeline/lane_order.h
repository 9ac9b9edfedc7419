#pragma once

#include "timeline/timeline.h"

#include <cstdint>
#include <vector>

namespace aotscope::timeline {

/// Puts the events of a row, which lie in any order, into lanes. Returns where each event was before.
/// `fits` becomes false if they are nested deeper than there are lanes; the deepest then overlap in the last
/// one.
std::vector<std::uint32_t> orderInLanes(Row& row, bool& fits);

} // namespace aotscope::timeline
