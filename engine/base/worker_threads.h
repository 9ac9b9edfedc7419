#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace aotscope::base {

/// A pool of threads that stay alive between pieces of work, so that what libraries keep per thread (OpenMP's
/// team, the profiler's thread numbers) is set up once, and a thread's id is not reused meanwhile.
class WorkerThreads {
public:
    WorkerThreads() = default;
    WorkerThreads(const WorkerThreads&) = delete;
    WorkerThreads& operator=(const WorkerThreads&) = delete;
    /// Waits for all work that was begun.
    ~WorkerThreads();

    /// Begins at once, in a thread that has nothing to do, else in a new one. `work` must not throw. What it
    /// holds is let go when the thread has nothing to do again, so its destructors must not call `start`.
    void start(std::function<void()> work);

private:
    struct Worker {
        std::function<void()> work;
        std::thread thread;
    };
    void serve(Worker& worker);

    std::mutex m_mutex;
    std::condition_variable m_changed;
    bool m_ends = false;
    /// All of them; those without work wait for some.
    std::vector<std::unique_ptr<Worker>> m_workers;
};

} // namespace aotscope::base
