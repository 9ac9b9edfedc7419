#include "base/worker_threads.h"

#include <algorithm>
#include <utility>

namespace aotscope::base {

WorkerThreads::~WorkerThreads() {
    {
        const std::lock_guard lock(m_mutex);
        m_ends = true;
    }
    m_changed.notify_all();
    for (const auto& worker : m_workers) {
        worker->thread.join();
    }
}

void WorkerThreads::start(std::function<void()> work) {
    const std::lock_guard lock(m_mutex);
    const auto idle = std::ranges::find_if(m_workers, [](const auto& worker) { return !worker->work; });
    if (idle != m_workers.end()) {
        (*idle)->work = std::move(work);
        m_changed.notify_all();
        return;
    }
    Worker& worker = *m_workers.emplace_back(std::make_unique<Worker>());
    worker.work = std::move(work);
    worker.thread = std::thread([this, &worker] { serve(worker); });
}

void WorkerThreads::serve(Worker& worker) {
    std::unique_lock lock(m_mutex);
    while (true) {
        m_changed.wait(lock, [&] { return worker.work || m_ends; });
        if (!worker.work) {
            return;
        }
        // It stays where it is, so that nobody takes this thread for one that has nothing to do.
        lock.unlock();
        worker.work();
        lock.lock();
        worker.work = nullptr;
    }
}

} // namespace aotscope::base
