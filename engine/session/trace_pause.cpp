#include "session/trace_pause.h"

namespace aotscope::session {

std::string_view tracePhaseName(TracePhase phase) {
    constexpr std::string_view names[] = {"metadata", "forward", "backward"};
    return names[static_cast<std::size_t>(phase)];
}

std::uint64_t PauseGate::open() {
    const std::lock_guard lock(m_mutex);
    m_open = true;
    m_answer.reset();
    return ++m_number;
}

PauseAnswer PauseGate::wait(const std::stop_token& stop) {
    std::unique_lock lock(m_mutex);
    m_answered.wait(lock, stop, [&] { return m_answer.has_value(); });
    m_open = false;
    PauseAnswer given = m_answer ? *std::move(m_answer) : PauseAnswer{PauseAnswer::Kind::Abort};
    m_answer.reset();
    return given;
}

bool PauseGate::answer(std::uint64_t number, PauseAnswer answer) {
    {
        const std::lock_guard lock(m_mutex);
        if (!m_open || number != m_number || m_answer) {
            return false;
        }
        m_answer = std::move(answer);
    }
    m_answered.notify_all();
    return true;
}

} // namespace aotscope::session
