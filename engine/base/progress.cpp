#include "base/progress.h"

namespace aotscope::base {

void Progress::report(std::string_view stage, std::uint64_t done, std::uint64_t total,
                      std::string_view detail) {
    if (!m_sink) {
        return;
    }
    constexpr std::chrono::milliseconds shortestGap{33};
    const auto now = std::chrono::steady_clock::now();
    if (m_lastStage == stage && now - m_last < shortestGap && done != total) {
        return;
    }
    m_last = now;
    m_lastStage = stage;
    m_sink({std::string(stage), done, total, std::string(detail)});
}

} // namespace aotscope::base
