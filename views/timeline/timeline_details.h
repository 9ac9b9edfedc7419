#pragma once

#include "timeline/timeline_scene.h"

#include <QString>

namespace aotscope::views {

struct Theme;

/// What is known of an event, as rich text: its operator, node and source line, the forward nodes of a node
/// of the backward, a kernel's launch, arrows, arguments as the trace has them. Links: "node:GRAPH/NAME" with
/// the graph's number, "event:ROW/INDEX".
[[nodiscard]] QString eventHtml(const TimelineScene& scene, timeline::EventId event, const Theme& theme);
/// The same in a line, for tooltips.
[[nodiscard]] QString eventLine(const TimelineScene& scene, timeline::EventId event);
/// How much longer a run under the profiler takes than the same run without it, which must be known.
[[nodiscard]] QString profilerCost(const session::Profile& profile);
/// What is shown while nothing is selected: totals, what was not found, problems of the file.
[[nodiscard]] QString overviewHtml(const TimelineScene& scene, const Theme& theme);

} // namespace aotscope::views
