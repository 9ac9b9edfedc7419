#pragma once

#include "support/thread_clock.h"
#include "support/watchdog.h"

#include <QTest>

#include <algorithm>
#include <functional>

namespace aotscope::test {

/// Watches single actions of a test for what must never happen on the window's thread: that it waits for the
/// engine, or for anything else, and that its work grows out of all proportion. How many milliseconds an
/// action takes is printed and not judged: it belongs to the machine and to what else runs there. `./dev
/// bench paint` has such figures.
class Stalls {
public:
    /// `mostWork`: milliseconds of the thread's own work after which an action is taken to be out of all
    /// proportion, on the machine that the project is measured on.
    explicit Stalls(double mostWork = hopeless) : m_mostWork(mostWork) {}

    /// Does `work` and turns the event loop. False: `work` failed, the event loop does not turn, the thread
    /// waited for others, or its work was out of all proportion.
    [[nodiscard]] bool measured(const char* what, const std::function<bool()>& work) {
        const double before = allowed();
        m_watchdog.restart();
        const bool done = work() && m_watchdog.awaitTurns();
        m_watchdog.report(what);
        return done && !m_watchdog.waited() && m_watchdog.longestWork() < std::max(before, allowed());
    }

    /// The same for an action that can be repeated: the best of three counts. `back` restores the state
    /// before it.
    [[nodiscard]] bool measuredAtBest(const char* what, const std::function<void()>& back,
                                      const std::function<bool()>& work) {
        constexpr int times = 3;
        for (int time = 0; time < times; ++time) {
            back();
            if (m_watchdog.awaitTurns() && measured(what, work)) {
                return true;
            }
        }
        return false;
    }

    /// How many milliseconds the thread may work without a turn, on this machine now.
    [[nodiscard]] double allowed() const { return m_mostWork * slowness(); }

private:
    /// Forty times what the slowest action takes on an idle machine: what looks at every node for every node
    /// takes longer, what looks at each once does not, however busy the machine is.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    static constexpr double hopeless = 40'000;
#else
    static constexpr double hopeless = 4'000;
#endif
    double m_mostWork;
    Watchdog m_watchdog;
};

} // namespace aotscope::test
