#pragma once

#include "support/thread_clock.h"
#include "support/watchdog.h"

#include <QTest>

#include <algorithm>
#include <functional>

namespace aotscope::test {

/// Measures steps of a test one by one.
class Stalls {
public:
    /// What the window's thread does by itself and in the turns after it. False: the work did not come to its
    /// end, or the thread worked at once for longer than the program's aim of 50 ms and a little, as long as
    /// that is on this machine now.
    [[nodiscard]] bool measured(const char* what, const std::function<bool()>& work) {
        const double before = allowed();
        m_watchdog.restart();
        const bool done = work() && m_watchdog.awaitTurns();
        m_watchdog.report(what);
        const double bar = std::max(before, allowed());
        qInfo("%s: on this machine it may work %.0f ms", what, bar);
        return done && !m_watchdog.sawAStall() && m_watchdog.longestWork() < bar;
    }

    /// Milliseconds that the thread may work at once, on this machine now.
    [[nodiscard]] static double allowed() { return longestWork * slowness(); }

private:
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    static constexpr double longestWork = 2'000;
#else
    static constexpr double longestWork = 70;
#endif
    Watchdog m_watchdog;
};

} // namespace aotscope::test
