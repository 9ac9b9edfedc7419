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

/// Begins a trace after the last one that was begun; at the program's end, waits for it.
void beginTrace(std::shared_ptr<Handover> handover,
                std::function<base::Result<session::RetraceResult>()> trace) {
    static std::mutex mutex;
    static std::jthread last;
    const std::scoped_lock lock(mutex);
    last = std::jthread(
        [handover = std::move(handover), trace = std::move(trace), before = std::move(last)]() mutable {
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

} // namespace aotscope::torch
