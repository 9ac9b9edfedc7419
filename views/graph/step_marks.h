#pragma once

#include "graph/graph_scene.h"
#include "layout/split_marks.h"
#include "session/step_snapshot.h"

#include <memory>

namespace aotscope::views {

/// What a split of the joint graph says of a scene.
using StepMarks = layout::SplitMarks;
using StepMarksPtr = std::shared_ptr<const StepMarks>;

/// `step` knows the scene's nodes by the names in its joint graph; null: null.
[[nodiscard]] StepMarksPtr makeStepMarks(const GraphScene& scene, const session::StepSnapshot* step);

} // namespace aotscope::views
