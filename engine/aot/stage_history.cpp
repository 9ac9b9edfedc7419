#include "aot/stage_history.h"

#include <algorithm>
#include <chrono>
#include <ranges>

namespace aotscope::aot {

namespace {

std::int64_t now() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

} // namespace

Observer StageHistory::observer() {
    return [this](const Action& action) {
        see(action);
        return Answer::GoOn;
    };
}

const ObservedStage* StageHistory::tryFind(StageKind stage) const {
    const auto reversed = m_stages | std::views::reverse;
    const auto found = std::ranges::find(reversed, stage, &ObservedStage::stage);
    return found == reversed.end() ? nullptr : &*found;
}

void StageHistory::see(const Action& action) {
    if (action.after == nullptr) {
        // What one stage made the next one gets: the same value is kept once.
        const bool follows =
            action.stage != StageKind::Metadata && !m_stages.empty() && m_stages.back().after;
        m_stages.push_back({action.stage, follows ? m_stages.back().after
                                                  : std::make_shared<const CompiledFunction>(action.before)});
        m_began = now();
    } else if (!m_stages.empty()) {
        m_stages.back().after = std::make_shared<const CompiledFunction>(*action.after);
        m_stages.back().nanoseconds = now() - m_began;
    }
}

} // namespace aotscope::aot
