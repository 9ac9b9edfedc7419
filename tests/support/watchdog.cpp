#include "support/watchdog.h"

#include "support/window_test.h"

#include <algorithm>

namespace aotscope::test {
namespace {

/// For waiting on a lock, a file or an answer, not for a processor.
constexpr double stallOfWaiting = 2'000;

} // namespace

Watchdog::Watchdog() {
    m_timer.setInterval(0);
    connect(&m_timer, &QTimer::timeout, this, &Watchdog::beat);
    m_clock.start();
    m_before = m_thread.now();
    m_timer.start();
}

bool Watchdog::waited() const {
    return m_longestWait > stallOfWaiting;
}

bool Watchdog::awaitTurns() const {
    // What is posted in one turn runs in the next: a layout request, then its widgets move, then they paint.
    constexpr std::uint64_t turns = 4;
    return QTest::qWaitFor([this, last = m_beats + turns] { return m_beats >= last; }, patience);
}

void Watchdog::restart() {
    beat();
    m_longestGap = 0;
    m_longestWork = 0;
    m_longestWait = 0;
}

void Watchdog::report(const char* what) const {
    qInfo("%s: the window's thread worked at most %.1f ms, waited at most %.1f ms, longest gap %lld ms", what,
          m_longestWork, m_longestWait, static_cast<long long>(m_longestGap));
}

void Watchdog::beat() {
    ++m_beats;
    const ThreadClock::Times now = m_thread.now();
    const qint64 gap = m_clock.restart();
    const double work = now.work - m_before.work;
    m_longestGap = std::max(m_longestGap, gap);
    m_longestWork = std::max(m_longestWork, work);
    m_longestWait = std::max(m_longestWait, double(gap) - work - (now.queued - m_before.queued));
    m_before = now;
}

} // namespace aotscope::test
