// The measurements of the window's thread detect what they should.
#include "support/stalls.h"
#include "support/thread_clock.h"
#include "support/window_test.h"

#include <QTest>

using namespace aotscope;

class StallsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void workThatIsTooLongIsTold() {
        test::Stalls stalls;
        QVERIFY(!stalls.measured("far too long", [] {
            workFor(6 * test::Stalls::allowed());
            return true;
        }));
        QVERIFY(stalls.measured("a tenth of it", [] {
            workFor(test::Stalls::allowed() / 10);
            return true;
        }));
    }

    void workInALaterTurnCounts() {
        test::Stalls stalls;
        QObject receiver;
        QVERIFY(!stalls.measured("later", [&] {
            QMetaObject::invokeMethod(
                &receiver, [] { workFor(6 * test::Stalls::allowed()); }, Qt::QueuedConnection);
            return true;
        }));
    }

    void whatDoesNotComeToItsEndIsTold() {
        test::Stalls stalls;
        QVERIFY(!stalls.measured("nothing", [] { return false; }));
    }

private:
    /// Milliseconds of this thread's own.
    static void workFor(double time) {
        const test::ThreadClock clock;
        const double begun = clock.now().work;
        while (clock.now().work - begun < time) {
        }
    }
};

AOTSCOPE_WINDOW_TEST(tst_stalls, StallsTest)
#include "tst_stalls.moc"
