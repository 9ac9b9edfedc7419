#pragma once

#include "support/thread_clock.h"
#include "support/watchdog.h"

#include <QTest>

#include <algorithm>
#include <functional>

namespace aotscope::test {

/// Measures how long single actions of a test block the window's thread.
class Stalls {
public:
    /// Measures `work` and the event loop turns after it. False: the event loop does not settle, or the
    /// thread worked for more than 4 × 50 ms without a turn, scaled by the machine's current slowness. The
    /// limit is this high because among hundreds of actions a busy machine makes 120 ms of one that takes 15
    /// ms.
    [[nodiscard]] bool measured(const char* what, const std::function<bool()>& work) {
        const double before = allowed();
        m_watchdog.restart();
        const bool done = work() && m_watchdog.awaitTurns();
        m_watchdog.report(what);
        const double bar = std::max(before, allowed());
        qInfo("%s: on this machine it may work %.0f ms", what, bar);
        return done && !m_watchdog.sawAStall() && m_watchdog.longestWork() < bar;
    }

    /// The same for an action that can be repeated: the best of three must stay near the aim of 50 ms. `back`
    /// restores the state before it.
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

    /// How many milliseconds the thread may work without a turn, on this machine now.
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
