#pragma once

#include "common/view_context.h"

namespace aotscope::views {

class BreakpointList;
class CurrentGraph;
class CurrentStep;
class GraphTotalsCollector;
class LogList;

/// What the panels of this folder share beside the view context; all outlive the panels.
struct PanelContext {
    ViewContext view;
    LogList* logs = nullptr;
    CurrentGraph* graph = nullptr;
    CurrentStep* step = nullptr;
    GraphTotalsCollector* totals = nullptr;
    BreakpointList* breakpoints = nullptr;
};

} // namespace aotscope::views
