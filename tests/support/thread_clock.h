#pragma once

namespace aotscope::test {

/// Measures how the thread that created it spends its time.
class ThreadClock {
public:
    /// Milliseconds since the thread started.
    struct Times {
        /// Running on a processor.
        double work = 0;
        /// Ready to run while the processors executed other threads. Always 0 if the kernel does not report
        /// it.
        double queued = 0;
    };

    ThreadClock();
    ~ThreadClock();
    ThreadClock(const ThreadClock&) = delete;
    ThreadClock& operator=(const ThreadClock&) = delete;

    [[nodiscard]] Times now() const;

private:
    /// The kernel's schedstat file of this thread.
    int m_file;
};

/// How many times slower this thread currently is than the machine that limits in milliseconds are meant for
/// (two virtual processors, idle): a machine may be slower, and other programs empty its caches and share its
/// cores. At least 1. Takes some milliseconds.
[[nodiscard]] double slowness();

} // namespace aotscope::test
