// The measurements of the window's thread detect what they should.
#include "support/stalls.h"
#include "support/thread_clock.h"
#include "support/window_test.h"

#include <QTest>
#include <QThread>

using namespace aotscope;

class StallsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void workThatIsTooLongIsTold() {
        test::Stalls stalls(100);
        QVERIFY(!stalls.measured("far too long", [&] {
            workFor(6 * stalls.allowed());
            return true;
        }));
        QVERIFY(stalls.measured("a tenth of it", [&] {
            workFor(stalls.allowed() / 10);
            return true;
        }));
    }

    void waitingIsTold() {
        test::Stalls stalls;
        QVERIFY(!stalls.measured("an answer that is waited for", [] {
            QThread::msleep(2'500);
            return true;
        }));
    }

    void workInALaterTurnCounts() {
        test::Stalls stalls(100);
        QObject receiver;
        QVERIFY(!stalls.measured("later", [&] {
            QMetaObject::invokeMethod(
                &receiver, [&] { workFor(6 * stalls.allowed()); }, Qt::QueuedConnection);
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
