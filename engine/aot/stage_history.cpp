#include "aot/stage_history.h"

#include <algorithm>
#include <ranges>

namespace aotscope::aot {

Observer StageHistory::observer() {
    return [this](const Action& action) {
        if (action.after == nullptr) {
            m_stages.push_back({action.stage, std::make_shared<const CompiledFunction>(action.before)});
        } else if (!m_stages.empty()) {
            m_stages.back().after = std::make_shared<const CompiledFunction>(*action.after);
        }
        return Answer::GoOn;
    };
}

const ObservedStage* StageHistory::tryFind(StageKind stage) const {
    const auto reversed = m_stages | std::views::reverse;
    const auto found = std::ranges::find(reversed, stage, &ObservedStage::stage);
    return found == reversed.end() ? nullptr : &*found;
}

} // namespace aotscope::aot
