#pragma once

#include "support/watchdog.h"

#include <QTest>

#include <functional>

namespace aotscope::test {

/// Measures steps of a test one by one.
class Stalls {
public:
    /// What the window's thread does by itself and in the turns after it. False: the work did not come to its
    /// end, or the thread worked at once for four times what is aimed at, which a busy machine makes of no
    /// step that keeps to it (a sanitizer does).
    bool measured(const char* what, const std::function<bool()>& work) {
        m_watchdog.restart();
        const bool done = work();
        QTest::qWait(20);
        m_watchdog.report(what);
        return done && !m_watchdog.sawAStall() && m_watchdog.longestWork() < longestWork;
    }

private:
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    static constexpr double longestWork = 2'000;
#else
    static constexpr double longestWork = 200;
#endif
    Watchdog m_watchdog;
};

} // namespace aotscope::test
