#pragma once

#include "graph/graph_scene.h"
#include "session/step_snapshot.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace aotscope::views {

/// What a split of the joint graph says of a scene, whatever its colours: which boxes the backward computes
/// again, and what the edges across really carry.
struct StepMarks {
    /// By box: it holds a node that is computed again.
    std::vector<bool> recomputed;
    /// By edge of the layout, for saved edges: bytes of what is saved among the values that flow along;
    /// nothing: the backward computes them again, from other saved values.
    std::vector<std::optional<std::int64_t>> carried;
    std::size_t recomputedBoxes = 0;
    std::size_t carriedEdges = 0;
    std::size_t emptyEdges = 0;
};
using StepMarksPtr = std::shared_ptr<const StepMarks>;

/// `step` knows the scene's nodes by the names in its joint graph; null: null.
[[nodiscard]] StepMarksPtr makeStepMarks(const GraphScene& scene, const session::StepSnapshot* step);

} // namespace aotscope::views
