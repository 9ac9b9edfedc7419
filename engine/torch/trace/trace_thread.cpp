#include "trace/trace_thread.h"

#include "run/executor.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace aotscope::torch {

namespace {

/// Between the thread that traces and the one that waits.
struct Handover {
    std::mutex mutex;
    std::condition_variable changed;
    std::optional<base::Result<session::RetraceResult>> result;
    /// The trace has nothing left to do but to release what it holds.
    bool stopping = false;
};

thread_local Handover* current = nullptr;

/// The thread that is still releasing; joined before another trace begins, and at the program's end.
std::jthread& releasing() {
    static std::jthread thread;
    return thread;
}

} // namespace

void stopTrace() {
    if (current != nullptr) {
        const std::scoped_lock lock(current->mutex);
        current->stopping = true;
        current->changed.notify_all();
    }
    throw Canceled{};
}

base::Result<session::RetraceResult>
traceOnThread(std::function<base::Result<session::RetraceResult>()> trace) {
    static std::mutex oneAtATime;
    const std::scoped_lock turn(oneAtATime);
    releasing() = std::jthread();
    auto handover = std::make_shared<Handover>();
    std::jthread thread([handover, trace = std::move(trace)] {
        current = handover.get();
        auto result = trace();
        current = nullptr;
        const std::scoped_lock lock(handover->mutex);
        handover->result = std::move(result);
        handover->changed.notify_all();
    });
    std::unique_lock lock(handover->mutex);
    handover->changed.wait(lock, [&] { return handover->result.has_value() || handover->stopping; });
    if (!handover->result) {
        lock.unlock();
        releasing() = std::move(thread);
        return base::canceledError();
    }
    return *std::move(handover->result);
}

} // namespace aotscope::torch
