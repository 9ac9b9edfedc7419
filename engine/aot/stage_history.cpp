#include "aot/stage_history.h"

#include <algorithm>

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
    const auto found = std::find_if(m_stages.rbegin(), m_stages.rend(),
                                    [&](const ObservedStage& observed) { return observed.stage == stage; });
    return found == m_stages.rend() ? nullptr : &*found;
}

} // namespace aotscope::aot
