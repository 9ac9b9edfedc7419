#include "common/background.h"

#include <QCoreApplication>
#include <QEvent>

#include <array>
#include <condition_variable>
#include <deque>
#include <stop_token>
#include <thread>

namespace aotscope::views {

namespace {

class BackgroundThreads {
public:
    BackgroundThreads() {
        for (std::jthread& thread : m_threads) {
            thread = std::jthread([this](const std::stop_token& stop) { serve(stop); });
        }
    }

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
    /// Last, so that the threads end before what they use.
    std::array<std::jthread, 2> m_threads;
};

} // namespace

void startInBackground(std::function<void()> work) {
    static BackgroundThreads threads;
    threads.start(std::move(work));
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
