#include "support/watchdog.h"

#include <algorithm>
#include <ctime>

namespace aotscope::test {
namespace {

/// Ten times what is aimed at: what a list made anew for every artifact took, and no busy machine makes of
/// less.
constexpr double stallOfWork = 500;
constexpr qint64 stallByClock = 2'000;

double threadTime() {
    timespec now = {};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return double(now.tv_sec) * 1e3 + double(now.tv_nsec) * 1e-6;
}

} // namespace

Watchdog::Watchdog() {
    m_timer.setInterval(0);
    connect(&m_timer, &QTimer::timeout, this, &Watchdog::beat);
    m_clock.start();
    m_work = threadTime();
    m_timer.start();
}

bool Watchdog::sawAStall() const {
    return m_longestWork > stallOfWork || m_longestGap > stallByClock;
}

void Watchdog::restart() {
    beat();
    m_longestGap = 0;
    m_longestWork = 0;
}

void Watchdog::report(const char* what) const {
    qInfo("%s: the window's thread worked at most %.1f ms, longest gap %lld ms", what, m_longestWork,
          static_cast<long long>(m_longestGap));
}

void Watchdog::beat() {
    const double work = threadTime();
    m_longestGap = std::max(m_longestGap, m_clock.restart());
    m_longestWork = std::max(m_longestWork, work - m_work);
    m_work = work;
}

} // namespace aotscope::test
