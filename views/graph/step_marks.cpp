#include "graph/step_marks.h"

#include "session/split_fates.h"

namespace aotscope::views {

StepMarksPtr makeStepMarks(const GraphScene& scene, const session::StepSnapshot* step) {
    if (step == nullptr) {
        return nullptr;
    }
    return std::make_shared<const StepMarks>(
        layout::splitMarks(scene.graph(), scene.layout(), session::fatesIn(scene.graph(), *step)));
}

} // namespace aotscope::views
