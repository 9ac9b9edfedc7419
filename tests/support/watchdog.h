#pragma once

#include "support/thread_clock.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <cstdint>

namespace aotscope::test {

/// Beats while the event loop turns and keeps the longest time it did not: by the clock, by what the window's
/// thread itself worked meanwhile, and by what it waited for others. The program's aim is 50 ms of work. What
/// the clock says is printed and never asserted: on a busy machine most of it is other programs' time.
class Watchdog : public QObject {
public:
    Watchdog();

    /// Milliseconds the window's thread worked between two beats.
    [[nodiscard]] double longestWork() const { return m_longestWork; }
    /// Whether the window's thread did a whole log's work at once, or waited for something.
    [[nodiscard]] bool sawAStall() const;
    /// Waits until the event loop turned often enough for what was posted to be delivered, laid out and
    /// painted. False: it does not turn.
    [[nodiscard]] bool awaitTurns() const;
    /// Forgets what was until now.
    void restart();
    /// Prints what was measured.
    void report(const char* what) const;

private:
    void beat();

    QTimer m_timer;
    QElapsedTimer m_clock;
    ThreadClock m_thread;
    ThreadClock::Times m_before;
    std::uint64_t m_beats = 0;
    qint64 m_longestGap = 0;
    double m_longestWork = 0;
    double m_longestWait = 0;
};

} // namespace aotscope::test
