#include "session/trace_pause.h"

#include <utility>

namespace aotscope::session {

std::string_view tracePhaseName(TracePhase phase) {
    constexpr std::string_view names[] = {"metadata", "forward", "backward"};
    return names[static_cast<std::size_t>(phase)];
}

std::uint64_t OpenPauses::open() {
    const std::lock_guard lock(m_mutex);
    m_open.emplace(++m_last, std::nullopt);
    return m_last;
}

PauseAnswer OpenPauses::wait(std::uint64_t number, const std::stop_token& stop) {
    std::unique_lock lock(m_mutex);
    m_answered.wait(lock, stop, [&] { return m_open.at(number).has_value(); });
    return m_open.extract(number).mapped().value_or(PauseAnswer{PauseAnswer::Kind::Abort});
}

bool OpenPauses::answer(std::uint64_t number, PauseAnswer answer) {
    {
        const std::lock_guard lock(m_mutex);
        const auto pause = m_open.find(number);
        if (pause == m_open.end() || pause->second) {
            return false;
        }
        pause->second = std::move(answer);
    }
    m_answered.notify_all();
    return true;
}

} // namespace aotscope::session
