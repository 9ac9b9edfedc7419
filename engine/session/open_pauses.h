#pragma once

#include "contract/trace_pause.h"

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

namespace aotscope::session {

/// Where paused threads wait for answers. Answers do not go through the command queue, because the paused
/// command blocks it. Thread-safe. `Answer` has a kind Abort.
template<typename Answer>
class OpenPausesOf {
public:
    /// Called by the paused thread before it announces a pause. Returns the pause's number, counted from 1
    /// and unique in this object.
    [[nodiscard]] std::uint64_t open() {
        const std::lock_guard lock(m_mutex);
        m_open.emplace(++m_last, std::nullopt);
        return m_last;
    }
    /// Waits for the answer to that pause. Returns Abort if `stop` is requested.
    [[nodiscard]] Answer wait(std::uint64_t number, const std::stop_token& stop) {
        std::unique_lock lock(m_mutex);
        m_answered.wait(lock, stop, [&] { return m_open.at(number).has_value(); });
        return m_open.extract(number).mapped().value_or(Answer{Answer::Kind::Abort});
    }
    /// False if that pause is over or already answered.
    bool answer(std::uint64_t number, Answer answer) {
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

private:
    std::mutex m_mutex;
    std::condition_variable_any m_answered;
    std::uint64_t m_last = 0;
    std::map<std::uint64_t, std::optional<Answer>> m_open;
};

/// Where tracing threads wait for answers.
using OpenPauses = OpenPausesOf<PauseAnswer>;

} // namespace aotscope::session
