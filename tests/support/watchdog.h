#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <algorithm>
#include <ctime>

namespace aotscope::test {

/// Beats while the event loop turns and keeps the longest time it did not: by the clock, and by what the
/// window's thread itself worked meanwhile, which other work on the machine hardly lengthens.
class Watchdog : public QObject {
public:
    /// Nothing may block the window for longer, in milliseconds of work.
    static constexpr double longestAllowed = 50;
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
    /// Everything takes several times as long then: nothing to hold the program to.
    static constexpr bool isFair = false;
#else
    static constexpr bool isFair = true;
#endif

    Watchdog() {
        m_timer.setInterval(0);
        connect(&m_timer, &QTimer::timeout, this, &Watchdog::beat);
        m_clock.start();
        m_work = threadTime();
        m_timer.start();
    }

    /// Milliseconds by the clock.
    [[nodiscard]] qint64 longestGap() const {
        return m_longestGap;
    }
    /// Milliseconds the window's thread worked between two beats.
    [[nodiscard]] double longestWork() const {
        return m_longestWork;
    }
    /// On a machine that is busy otherwise the same work was measured to take half as long again, so the
    /// bound is doubled. The clock's is wide: it is there for a thread that waits without working.
    [[nodiscard]] bool isWithinBounds() const {
        return !isFair || (m_longestWork < longestAllowed * 2 && double(m_longestGap) < longestAllowed * 20);
    }
    /// Forgets what was until now.
    void restart() {
        beat();
        m_longestGap = 0;
        m_longestWork = 0;
    }

private:
    static double threadTime() {
        timespec now = {};
        ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        return double(now.tv_sec) * 1e3 + double(now.tv_nsec) * 1e-6;
    }
    void beat() {
        const double work = threadTime();
        m_longestGap = std::max(m_longestGap, m_clock.restart());
        m_longestWork = std::max(m_longestWork, work - m_work);
        m_work = work;
    }

    QTimer m_timer;
    QElapsedTimer m_clock;
    qint64 m_longestGap = 0;
    double m_work = 0;
    double m_longestWork = 0;
};

} // namespace aotscope::test
