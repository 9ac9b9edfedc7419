#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

namespace aotscope::test {

/// Beats while the event loop turns and keeps the longest time it did not: by the clock, and by what the
/// window's thread itself worked meanwhile. The program's aim is 50 ms of work; how long the same work takes
/// depends on the machine and on what else it does (three times as long was seen), so the numbers are printed
/// and a test asserts only that nothing stalls.
class Watchdog : public QObject {
public:
    Watchdog();

    /// Milliseconds by the clock.
    [[nodiscard]] qint64 longestGap() const { return m_longestGap; }
    /// Milliseconds the window's thread worked between two beats.
    [[nodiscard]] double longestWork() const { return m_longestWork; }
    /// Whether the window's thread did a whole log's work at once, or waited for something.
    [[nodiscard]] bool sawAStall() const;
    /// Forgets what was until now.
    void restart();
    /// Prints what was measured.
    void report(const char* what) const;

private:
    void beat();

    QTimer m_timer;
    QElapsedTimer m_clock;
    qint64 m_longestGap = 0;
    double m_work = 0;
    double m_longestWork = 0;
};

} // namespace aotscope::test
