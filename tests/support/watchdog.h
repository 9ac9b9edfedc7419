#pragma once

#include "support/thread_clock.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <cstdint>

namespace aotscope::test {

/// Measures the longest time that the event loop did not turn: by the clock, by the window's thread's own
/// work, and by its waiting for others. The program's aim is 50 ms of work. Clock time is printed and never
/// asserted, because on a busy machine most of it belongs to other programs.
class Watchdog : public QObject {
public:
    Watchdog();

    /// In milliseconds, between two turns.
    [[nodiscard]] double longestWork() const { return m_longestWork; }
    /// Whether the window's thread waited for something without a turn: a lock, a file, an answer of the
    /// engine. Waiting for a processor does not count.
    [[nodiscard]] bool waited() const;
    /// Waits for enough turns to deliver, lay out and paint what was posted. False: the event loop does not
    /// turn.
    [[nodiscard]] bool awaitTurns() const;
    /// Starts measuring again.
    void restart();
    /// Prints the measurements.
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
