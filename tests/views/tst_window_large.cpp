// Problems and Payload of very large logs: nothing may hold up the window's thread.
#include "support/log_records.h"
#include "support/small_graphs.h"
#include "support/temp_folder.h"
#include "support/watchdog.h"
#include "support/window_bench.h"
#include "support/window_test.h"

#include "common/code_view.h"
#include "panels/json_model.h"
#include "panels/payload_panel.h"
#include "panels/problem_model.h"
#include "panels/problems_panel.h"
#include "window/job_status.h"

#include <QDockWidget>
#include <QLineEdit>
#include <QTabBar>
#include <QTreeView>

#include <functional>

using namespace aotscope;
using namespace aotscope::views;

namespace {

/// Each compile fails after a graph break.
std::string logOfFailures(std::uint32_t compiles) {
    std::string log =
        test::dynamoStart(0) + test::payloadRecord("\"aot_joint_graph\": {}", 0, test::smallGraphText());
    for (std::uint32_t i = 1; i < compiles; ++i) {
        log +=
            test::dynamoStart(i) +
            test::payloadRecord(R"("artifact": {"name": "dynamo_graph_break_reason", "encoding": "string"})",
                                i, "Graph Break Reason: call number " + std::to_string(i)) +
            test::plainRecord(R"("compilation_metrics": {"fail_type": "Boom", "fail_reason": "it broke"})",
                              i);
    }
    return log;
}

/// `{"key 0": "value 0", …}`, a line each.
std::string jsonOf(std::size_t bytes) {
    std::string text = "{";
    for (int i = 0; text.size() < bytes; ++i) {
        text += "\n\"key " + std::to_string(i) + "\": \"value " + std::to_string(i) + "\",";
    }
    text.back() = '}';
    return text;
}

class Stalls {
public:
    /// What the window's thread does by itself and in the turns after it.
    void measured(const char* what, const std::function<bool()>& work) {
        m_watchdog.restart();
        QVERIFY(work());
        QTest::qWait(20);
        m_watchdog.report(what);
        QVERIFY(!m_watchdog.sawAStall());
    }

private:
    test::Watchdog m_watchdog;
};

} // namespace

class WindowLargeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::OwnSettings::clear(); }

    void problemsOfTwentyThousandCompiles() {
        constexpr std::uint32_t compiles = 20'000;
        const test::TempFolder folder;
        test::WindowBench bench;
        const QString path =
            QString::fromStdString(folder.write("many.log", logOfFailures(compiles)).string());
        bench.window->show();
        QVERIFY(QTest::qWaitForWindowExposed(bench.window.get()));
        ProblemsPanel* panel = bench.window->problemsPanel();
        Stalls stalls;
        stalls.measured("problems of 20,000 compiles come", [&] {
            bench.window->openPaths({path});
            return QTest::qWaitFor([&] { return panel->model()->total() >= compiles; }, test::patience) &&
                   QTest::qWaitFor([&] { return !bench.window->jobStatus()->busy(); }, test::patience);
        });
        auto* filter = panel->findChild<QLineEdit*>();
        stalls.measured("a problem typed", [&] {
            for (const QChar letter : QStringLiteral("number 12345")) {
                QTest::keyClick(filter, letter.toLatin1());
                QTest::qWait(1);
            }
            return panel->model()->rowCount() == 1;
        });
        stalls.measured("all problems again", [&] {
            filter->clear();
            return panel->model()->rowCount() > 1;
        });
        stalls.measured("the last problem picked", [&] {
            bench.window->dock(QStringLiteral("problems"))->raise();
            const QModelIndex last = panel->model()->index(panel->model()->rowCount() - 1, 0);
            panel->view()->scrollTo(last);
            QTest::mouseClick(panel->view()->viewport(), Qt::LeftButton, {},
                              panel->view()->visualRect(last).center());
            return QTest::qWaitFor([&] { return bench.window->payloadPanel()->shown() != nullptr; },
                                   test::patience);
        });
    }

    void aPayloadOfFortyMegabytes() {
        constexpr std::size_t bytes = 40U << 20U;
        const test::TempFolder folder;
        test::WindowBench bench;
        const std::string log =
            test::dynamoStart(0) + test::payloadRecord("\"aot_joint_graph\": {}", 0, test::smallGraphText()) +
            test::payloadRecord(R"("artifact": {"name": "large", "encoding": "json"})", 0, jsonOf(bytes));
        QVERIFY(bench.open(folder.write("large.log", log).string()));
        PayloadPanel* panel = bench.window->payloadPanel();
        bench.window->dock(QStringLiteral("payload"))->raise();
        QTRY_VERIFY_WITH_TIMEOUT(!bench.window->jobStatus()->busy(), test::patience);
        Stalls stalls;
        stalls.measured("40 MB of JSON shown as a tree", [&] {
            bench.window->selection()->select({bench.sibling("large"), {}});
            return QTest::qWaitFor([&] { return panel->json()->rowCount() > 0; }, test::patience);
        });
        stalls.measured("40 MB of JSON shown as text", [&] {
            panel->tabs()->setCurrentIndex(1);
            return QTest::qWaitFor([&] { return panel->textView()->lineCount() > 100'000; }, test::patience);
        });
        stalls.measured("and as a tree again", [&] {
            panel->tabs()->setCurrentIndex(0);
            return panel->json()->rowCount() > 0;
        });
    }

private:
    test::OwnSettings m_settings;
};

AOTSCOPE_WINDOW_TEST(tst_window_large, WindowLargeTest)
#include "tst_window_large.moc"
