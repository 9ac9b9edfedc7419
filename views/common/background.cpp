#include "common/background.h"

#include <QCoreApplication>
#include <QEvent>

#include <condition_variable>
#include <deque>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace aotscope::views {

namespace {

/// The threads of one lane.
class LaneThreads {
public:
    explicit LaneThreads(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            m_threads.emplace_back([this](const std::stop_token& stop) { serve(stop); });
        }
    }

    /// Ends the threads; work started after this never runs.
    void end() { m_threads.clear(); }

    void start(std::function<void()> work) {
        {
            const std::lock_guard lock(m_mutex);
            m_queue.push_back(std::move(work));
        }
        m_wake.notify_one();
    }

private:
    void serve(const std::stop_token& stop) {
        while (true) {
            std::function<void()> work;
            {
                std::unique_lock lock(m_mutex);
                if (!m_wake.wait(lock, stop, [this] { return !m_queue.empty(); }) || stop.stop_requested()) {
                    return;
                }
                work = std::move(m_queue.front());
                m_queue.pop_front();
            }
            work();
        }
    }

    std::mutex m_mutex;
    std::condition_variable_any m_wake;
    std::deque<std::function<void()>> m_queue;
    /// Last member, so that the threads end before the members they use are destroyed.
    std::vector<std::jthread> m_threads;
};

/// The threads are created on first use. They end with the application, while everything that they may use
/// still exists: what is static in other libraries is destroyed later, in an unknown order.
template<Lane lane, std::size_t count>
LaneThreads& threadsOf() {
    static LaneThreads threads(count);
    [[maybe_unused]] static const bool endsInTime =
        (qAddPostRoutine([] { threadsOf<lane, count>().end(); }), true);
    return threads;
}

} // namespace

void startInBackground(std::function<void()> work, Lane lane) {
    switch (lane) {
    case Lane::Showing:
        return threadsOf<Lane::Showing, 2>().start(std::move(work));
    case Lane::Files:
        return threadsOf<Lane::Files, 2>().start(std::move(work));
    case Lane::Following:
        return threadsOf<Lane::Following, 1>().start(std::move(work));
    case Lane::Reading:
        return threadsOf<Lane::Reading, 1>().start(std::move(work));
    }
}

void BackgroundRelay::deliver(std::function<void()> done) {
    {
        const std::lock_guard lock(m_mutex);
        m_done = std::move(done);
    }
    QCoreApplication::postEvent(this, new QEvent(QEvent::User));
}

void BackgroundRelay::customEvent(QEvent* /*event*/) {
    std::function<void()> done;
    {
        const std::lock_guard lock(m_mutex);
        done = std::move(m_done);
    }
    if (m_receiver) {
        done();
    }
    deleteLater();
}

} // namespace aotscope::views
