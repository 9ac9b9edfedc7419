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
    /// end, or the thread worked at once for four times the program's aim of 50 ms, as long as that is on
    /// this machine now. Not less: of some hundreds of steps a busy machine makes 120 ms of one that
    /// takes 15.
    [[nodiscard]] bool measured(const char* what, const std::function<bool()>& work) {
        const double before = allowed();
        m_watchdog.restart();
        const bool done = work() && m_watchdog.awaitTurns();
        m_watchdog.report(what);
        const double bar = std::max(before, allowed());
        qInfo("%s: on this machine it may work %.0f ms", what, bar);
        return done && !m_watchdog.sawAStall() && m_watchdog.longestWork() < bar;
    }

    /// The same of a step that can be taken again, which is held closer: the best of three times keeps to the
    /// aim and a little. `back` leads to where the step begins.
    [[nodiscard]] bool measuredAtBest(const char* what, const std::function<void()>& back,
                                      const std::function<bool()>& work) {
        constexpr int times = 3;
        for (int time = 0; time < times; ++time) {
            back();
            if (!m_watchdog.awaitTurns() || !measured(what, work)) {
                return false;
            }
            if (m_watchdog.longestWork() < aim * slowness()) {
                return true;
            }
        }
        return false;
    }

    /// Milliseconds that the thread may work at once, on this machine now.
    [[nodiscard]] static double allowed() { return longestWork * slowness(); }

private:
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    static constexpr double longestWork = 2'000;
    static constexpr double aim = longestWork;
#else
    static constexpr double longestWork = 200;
    static constexpr double aim = 70;
#endif
    Watchdog m_watchdog;
};

} // namespace aotscope::test
