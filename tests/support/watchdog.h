#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <algorithm>

namespace aotscope::test {

/// Beats while the event loop turns and keeps the longest time it did not.
class Watchdog : public QObject {
public:
    Watchdog() {
        m_timer.setInterval(0);
        connect(&m_timer, &QTimer::timeout, this,
                [this] { m_longest = std::max(m_longest, m_clock.restart()); });
        m_clock.start();
        m_timer.start();
    }

    /// Milliseconds.
    [[nodiscard]] qint64 longestGap() const { return m_longest; }

private:
    QTimer m_timer;
    QElapsedTimer m_clock;
    qint64 m_longest = 0;
};

} // namespace aotscope::test
