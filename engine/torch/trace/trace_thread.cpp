#include "trace/trace_thread.h"

#include <condition_variable>
#include <memory>
#include <optional>

namespace aotscope::torch {

namespace {

/// Passes the result from the tracing thread to the waiting one.
struct Handover {
    std::mutex mutex;
    std::condition_variable_any changed;
    std::optional<base::Result<aot::RetraceResult>> result;
};

} // namespace

base::Result<aot::RetraceResult> TraceThread::run(std::function<base::Result<aot::RetraceResult>()> trace,
                                                  const std::stop_token& stop) {
    auto handover = std::make_shared<Handover>();
    {
        const std::scoped_lock lock(m_mutex);
        m_last = std::jthread([handover, trace = std::move(trace), before = std::move(m_last)]() mutable {
            before = std::jthread();
            auto result = trace();
            {
                const std::scoped_lock handing(handover->mutex);
                handover->result = std::move(result);
            }
            // Without the lock: the thread that wakes takes it first of all.
            handover->changed.notify_all();
        });
    }
    std::unique_lock lock(handover->mutex);
    if (!handover->changed.wait(lock, stop, [&] { return handover->result.has_value(); })) {
        return base::canceledError();
    }
    return *std::move(handover->result);
}

void TraceThread::finish() {
    const std::scoped_lock lock(m_mutex);
    m_last = std::jthread();
}

} // namespace aotscope::torch
