#include "graph/stage_marks.h"

#include <algorithm>

namespace aotscope::views {
namespace {

using StageKind = ir::NodeDifference::Kind;

bool isMarked(const ir::NodeDifference& difference) {
    return difference.kind == StageKind::Added || difference.kind == StageKind::Changed;
}

} // namespace

std::vector<StageMark> stageMarks(const session::LayoutSnapshot& snapshot) {
    std::vector<StageMark> marks(snapshot.layout->boxes.size());
    if (!snapshot.diff) {
        return marks;
    }
    for (const ir::NodeDifference& difference : snapshot.diff->differences) {
        const layout::BoxId box =
            isMarked(difference) ? snapshot.layout->boxOfNode[difference.right.index()] : layout::BoxId();
        if (box.valid()) {
            StageMark& mark = marks[box.index()];
            ++(difference.kind == StageKind::Added ? mark.added : mark.changed);
        }
    }
    return marks;
}

const ir::NodeDifference* tryDifference(const session::LayoutSnapshot& snapshot, ir::NodeId node) {
    if (!snapshot.diff) {
        return nullptr;
    }
    const auto& differences = snapshot.diff->differences;
    const auto found = std::ranges::find_if(differences, [node](const ir::NodeDifference& difference) {
        return difference.right == node && isMarked(difference);
    });
    return found == differences.end() ? nullptr : &*found;
}

} // namespace aotscope::views
