#include "trace/trace_thread.h"

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
    std::condition_variable_any changed;
    std::optional<base::Result<session::RetraceResult>> result;
};

/// The trace that was begun last; it waits for those before it.
struct LastTrace {
    std::mutex mutex;
    std::jthread thread;
};

LastTrace& lastTrace() {
    static LastTrace last;
    return last;
}

/// Begins a trace after the last one that was begun.
void beginTrace(std::shared_ptr<Handover> handover,
                std::function<base::Result<session::RetraceResult>()> trace) {
    LastTrace& last = lastTrace();
    const std::scoped_lock lock(last.mutex);
    last.thread = std::jthread([handover = std::move(handover), trace = std::move(trace),
                                before = std::move(last.thread)]() mutable {
        before = std::jthread();
        auto result = trace();
        const std::scoped_lock handing(handover->mutex);
        handover->result = std::move(result);
        handover->changed.notify_all();
    });
}

} // namespace

base::Result<session::RetraceResult>
traceOnThread(std::function<base::Result<session::RetraceResult>()> trace, const std::stop_token& stop) {
    auto handover = std::make_shared<Handover>();
    beginTrace(handover, std::move(trace));
    std::unique_lock lock(handover->mutex);
    if (!handover->changed.wait(lock, stop, [&] { return handover->result.has_value(); })) {
        return base::canceledError();
    }
    return *std::move(handover->result);
}

void finishTraces() {
    LastTrace& last = lastTrace();
    const std::scoped_lock lock(last.mutex);
    last.thread = std::jthread();
}

} // namespace aotscope::torch
