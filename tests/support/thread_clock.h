#pragma once

namespace aotscope::test {

/// What the thread that made it does with its time.
class ThreadClock {
public:
    /// Milliseconds since the thread began.
    struct Times {
        /// It worked.
        double work = 0;
        /// It could have worked, but the processors were at other threads' and programs' work. Always 0 where
        /// the kernel does not tell.
        double queued = 0;
    };

    ThreadClock();
    ~ThreadClock();
    ThreadClock(const ThreadClock&) = delete;
    ThreadClock& operator=(const ThreadClock&) = delete;

    [[nodiscard]] Times now() const;

private:
    /// The kernel's file about this thread.
    int m_file;
};

/// How many times as long as on the machine that bars in milliseconds are meant for (two virtual processors
/// with nothing beside) a piece of work takes this thread now: a machine may be slower, and other programs
/// empty its caches and share its cores. Never less than 1. Takes some milliseconds.
[[nodiscard]] double slowness();

} // namespace aotscope::test
