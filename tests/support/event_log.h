#pragma once

#include "session/events.h"

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <variant>
#include <vector>

namespace aotscope::test {

[[nodiscard]] inline bool isEnd(const session::EventBody& body) {
    return std::holds_alternative<session::Finished>(body) ||
           std::holds_alternative<session::Canceled>(body) || std::holds_alternative<session::Failed>(body);
}

/// Collects a worker's events and waits for some of them without sleeping.
class EventLog {
public:
    void add(session::Event event) {
        const std::lock_guard lock(m_mutex);
        m_events.push_back(std::move(event));
        m_changed.notify_all();
    }

    /// Waits for the end of a job and returns all its events.
    [[nodiscard]] std::vector<session::Event> awaitEnd(std::uint64_t job) {
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, [&] { return hasEnded(job); });
        return of(job);
    }

    [[nodiscard]] std::vector<session::Event> all() const {
        const std::lock_guard lock(m_mutex);
        return m_events;
    }

private:
    [[nodiscard]] bool hasEnded(std::uint64_t job) const {
        for (const session::Event& event : m_events) {
            if (event.job == job && isEnd(event.body)) {
                return true;
            }
        }
        return false;
    }
    [[nodiscard]] std::vector<session::Event> of(std::uint64_t job) const {
        std::vector<session::Event> events;
        for (const session::Event& event : m_events) {
            if (event.job == job) {
                events.push_back(event);
            }
        }
        return events;
    }

    mutable std::mutex m_mutex;
    std::condition_variable m_changed;
    std::vector<session::Event> m_events;
};

} // namespace aotscope::test
