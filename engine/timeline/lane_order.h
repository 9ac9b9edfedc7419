#pragma once

#include "timeline/timeline.h"

namespace aotscope::timeline {

/// Puts the events of a row, which lie in any order, into lanes. False: they are nested deeper than there are
/// lanes; the deepest then overlap in the last one.
bool orderInLanes(Row& row);

} // namespace aotscope::timeline
