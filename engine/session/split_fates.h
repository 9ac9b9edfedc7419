#pragma once

#include "session/step_snapshot.h"

#include "layout/split_marks.h"

namespace aotscope::session {

/// What the step's split does with the nodes of a graph that is to be drawn, which it knows by the names in
/// its joint graph.
[[nodiscard]] layout::NodeFates fatesIn(const ir::Graph& drawn, const StepSnapshot& step);

} // namespace aotscope::session
