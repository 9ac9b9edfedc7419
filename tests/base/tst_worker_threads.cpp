// Threads that stay for the next work.
#include "base/worker_threads.h"

#include <doctest/doctest.h>

#include <future>
#include <latch>
#include <set>
#include <thread>

using namespace aotscope;

namespace {

/// Begins work that tells its thread, and waits until it has.
std::thread::id threadOf(base::WorkerThreads& workers) {
    std::promise<std::thread::id> told;
    auto id = told.get_future();
    workers.start([&] { told.set_value(std::this_thread::get_id()); });
    return id.get();
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

TEST_CASE("a thread is used again, and never a third one is made where two are enough") {
    base::WorkerThreads workers;
    // The first may still be on its way back when the next work begins, so that there can be two.
    std::set<std::thread::id> used;
    for (int i = 0; i < 50; ++i) {
        used.insert(threadOf(workers));
    }
    CHECK(used.size() <= 2);
}

TEST_CASE("the end waits for work that was begun") {
    bool done = false;
    {
        base::WorkerThreads workers;
        std::promise<void> begins;
        workers.start([&] {
            begins.get_future().wait();
            done = true;
        });
        begins.set_value();
    }
    CHECK(done);
}
