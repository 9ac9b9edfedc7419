#pragma once

#include "timeline/timeline.h"

#include <cstdint>
#include <vector>

namespace aotscope::timeline {

/// One end of a flow, bound to the event that is going on there when all events are known.
struct FlowEnd {
    /// The same for the ends that belong together.
    std::uint64_t key = 0;
    std::int64_t time = 0;
    std::uint32_t row = 0;
    FlowKind kind = FlowKind::Other;
    /// 's' begins a flow, 't' is on its way, 'f' ends it.
    char phase = 's';
    /// It belongs to the event around it ("bp": "e"), as beginnings always do; else to the next that begins.
    bool isAround = true;
};

struct BoundFlows {
    /// Sorted; one from each event to each other.
    std::vector<Flow> flows;
    /// Ends whose other end, or whose event, is not in the trace.
    std::uint64_t unbound = 0;
};

/// The flows between the events of finished rows: from the launching call to each kernel or copy, by their
/// correlation, and those of `ends`. A flow that comes from both is added once.
[[nodiscard]] BoundFlows boundFlows(const std::vector<RowPtr>& rows, std::vector<FlowEnd> ends);

} // namespace aotscope::timeline
