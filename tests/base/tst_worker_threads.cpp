// Threads that stay for the next work.
#include "base/worker_threads.h"

#include <doctest/doctest.h>

#include <future>
#include <latch>
#include <memory>
#include <set>
#include <thread>
#include <utility>

using namespace aotscope;

namespace {

/// Begins work that tells its thread, and waits until that thread has nothing to do: what the work held is
/// let go at that moment, which is later than the work's own end.
std::thread::id threadOf(base::WorkerThreads& workers) {
    std::thread::id id;
    // The thread may still be in set_value when the one that waits goes on.
    auto idle = std::make_shared<std::promise<void>>();
    std::future<void> isIdle = idle->get_future();
    std::shared_ptr<void> held(nullptr, [idle](void*) { idle->set_value(); });
    workers.start([&id, held = std::move(held)] { id = std::this_thread::get_id(); });
    isIdle.wait();
    return id;
}

} // namespace

TEST_CASE("work that is begun while other work waits for it runs beside it") {
    std::latch both(2);
    std::thread::id first;
    std::thread::id second;
    {
        base::WorkerThreads workers;
        workers.start([&] {
            first = std::this_thread::get_id();
            both.arrive_and_wait();
        });
        workers.start([&] {
            second = std::this_thread::get_id();
            both.arrive_and_wait();
        });
    }
    CHECK(first != second);
    CHECK(first != std::this_thread::get_id());
}

TEST_CASE("a thread that has nothing to do is used again, and no second one is made") {
    base::WorkerThreads workers;
    std::set<std::thread::id> used;
    for (int i = 0; i < 50; ++i) {
        used.insert(threadOf(workers));
    }
    CHECK(used.size() == 1);
}

TEST_CASE("the end waits for work that was begun") {
    bool done = false;
    {
        std::promise<void> begins;
        std::future<void> begun = begins.get_future();
        base::WorkerThreads workers;
        workers.start([&] {
            begun.wait();
            done = true;
        });
        begins.set_value();
    }
    CHECK(done);
}
