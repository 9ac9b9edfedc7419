// Very large logs, payloads and folders: nothing may block the window's thread.
#include "support/endless_folder.h"
#include "support/log_records.h"
#include "support/small_graphs.h"
#include "support/stalls.h"
#include "support/temp_folder.h"
#include "support/window_bench.h"
#include "support/window_test.h"

#include "common/code_view.h"
#include "common/log_list.h"
#include "panels/json_model.h"
#include "panels/payload_panel.h"
#include "panels/problem_model.h"
#include "panels/problems_panel.h"
#include "window/job_status.h"

#include <QDockWidget>
#include <QElapsedTimer>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpression>
#include <QScrollBar>
#include <QTabBar>
#include <QToolButton>
#include <QTreeView>

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

/// A window with a log that has a large payload.
struct LargePayloads : test::WindowBench {
    explicit LargePayloads(const std::string& json) {
        const std::string log =
            test::dynamoStart(0) + test::payloadRecord("\"aot_joint_graph\": {}", 0, test::smallGraphText()) +
            test::payloadRecord(R"("artifact": {"name": "large", "encoding": "json"})", 0, json);
        path = folder.write("large.log", log).string();
    }
    [[nodiscard]] bool start() {
        if (!open(path)) {
            return false;
        }
        window->dock(QStringLiteral("payload"))->raise();
        return QTest::qWaitFor([this] { return !window->parts().jobs->busy(); }, test::patience);
    }
    void pick(const char* artifact) const { window->selection()->select({sibling(artifact), {}}); }
    [[nodiscard]] bool shows(const char* artifact) const {
        return QTest::qWaitFor(
            [&] {
                const session::PayloadSnapshotPtr& shown = window->panel<PayloadPanel>()->shown();
                return shown && shown->reference.artifact == artifact;
            },
            test::patience);
    }

    test::TempFolder folder;
    std::string path;
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
        QVERIFY(QTest::qWaitForWindowExposed(bench.window.get(), test::patience));
        ProblemsPanel* panel = bench.window->panel<ProblemsPanel>();
        test::Stalls stalls;
        QVERIFY(stalls.measured("problems of 20,000 compiles come", [&] {
            bench.window->openPaths({path});
            return QTest::qWaitFor([&] { return panel->model()->total() >= compiles; }, test::patience) &&
                   QTest::qWaitFor([&] { return !bench.window->parts().jobs->busy(); }, test::patience);
        }));
        auto* filter = panel->findChild<QLineEdit*>();
        QVERIFY(stalls.measured("a problem typed", [&] {
            for (const QChar letter : QStringLiteral("number 12345")) {
                QTest::keyClick(filter, letter.toLatin1());
                QCoreApplication::processEvents();
            }
            return QTest::qWaitFor([&] { return panel->model()->rowCount() == 1; }, test::patience);
        }));
        QVERIFY(stalls.measured("all problems again", [&] {
            filter->clear();
            return QTest::qWaitFor([&] { return panel->model()->rowCount() > 1; }, test::patience);
        }));
        QVERIFY(stalls.measured("the last problem picked", [&] {
            bench.window->dock(QStringLiteral("problems"))->raise();
            const QModelIndex last = panel->model()->index(panel->model()->rowCount() - 1, 0);
            panel->view()->scrollTo(last);
            QTest::mouseClick(panel->view()->viewport(), Qt::LeftButton, {},
                              panel->view()->visualRect(last).center());
            return QTest::qWaitFor([&] { return bench.window->panel<PayloadPanel>()->shown() != nullptr; },
                                   test::patience);
        }));
    }

    void aPayloadOfTwoHundredMegabytes() {
        constexpr std::size_t bytes = 200U << 20U;
        LargePayloads bench(jsonOf(bytes));
        QVERIFY(bench.start());
        PayloadPanel* panel = bench.window->panel<PayloadPanel>();
        test::Stalls stalls;
        QVERIFY(stalls.measured("200 MB of JSON shown as a tree", [&] {
            bench.pick("large");
            return bench.shows("large") && panel->json()->rowCount() > 0;
        }));
        QVERIFY(stalls.measured("its last rows", [&] {
            auto* tree = panel->findChild<QTreeView*>();
            for (int i = 0; i < 20; ++i) {
                tree->scrollToBottom();
                QCoreApplication::processEvents();
            }
            return panel->json()->rowCount() > 10'000;
        }));
        QVERIFY(stalls.measured("as text", [&] {
            panel->tabs()->setCurrentIndex(1);
            return panel->textView()->lineCount() > 1'000'000;
        }));
        CodeView* view = panel->textView();
        QVERIFY(stalls.measured("its last line", [&] {
            view->scrollToLine(view->lineCount() - 1);
            QCoreApplication::processEvents();
            return view->line(view->lineCount() - 1).endsWith(QLatin1Char('}'));
        }));
        QSignalSpy found(view, &CodeView::found);
        QVERIFY(stalls.measured("searched to its end", [&] {
            view->find(QRegularExpression(QStringLiteral("value \\d+\"\\}")));
            return QTest::qWaitFor([&] { return !found.isEmpty(); }, test::patience);
        }));
        QVERIFY(found.first().first().toBool());
        QVERIFY(stalls.measured("and as a tree again", [&] {
            panel->tabs()->setCurrentIndex(0);
            return panel->json()->rowCount() > 0;
        }));
        QVERIFY(stalls.measured("let go", [&] {
            bench.pick("joint");
            return bench.shows("joint");
        }));
    }

    /// What is read for a record that nobody looks at any more ends.
    void aLargePayloadIsGivenUpWhenAnotherIsPicked() {
        constexpr std::size_t bytes = 80U << 20U;
        LargePayloads bench(jsonOf(bytes));
        QVERIFY(bench.start());
        int large = 0;
        QObject::connect(&bench.engine, &EngineClient::told, bench.window.get(),
                         [&](const session::Event& event) {
                             const auto* payload = std::get_if<session::PayloadSnapshotPtr>(&event.body);
                             large += payload && (*payload)->reference.artifact == "large" ? 1 : 0;
                         });
        QSignalSpy canceled(&bench.engine, &EngineClient::canceled);
        QSignalSpy told(&bench.engine, &EngineClient::progressed);
        bench.pick("large");
        QTRY_VERIFY_WITH_TIMEOUT(std::any_of(told.begin(), told.end(),
                                             [](const QList<QVariant>& each) {
                                                 return each[2].value<base::ProgressState>().stage ==
                                                        "Reading the payload";
                                             }),
                                 test::patience);
        bench.pick("joint");
        QTRY_VERIFY_WITH_TIMEOUT(!canceled.isEmpty(), test::patience);
        QTRY_VERIFY_WITH_TIMEOUT(!bench.window->parts().jobs->busy(), test::patience);
        QVERIFY(bench.shows("joint"));
        QCOMPARE(large, 0);
        // It is read when it is picked again.
        bench.pick("large");
        QVERIFY(bench.shows("large"));
    }

    void hostilePayloadsAreShown() {
        constexpr std::size_t bytes = 40U << 20U;
        std::string deep(bytes, '[');
        std::string line = "[" + std::string(bytes, '7') + "]";
        std::string words = "[\"" + std::string(bytes, 'w') + "\", 1]";
        for (std::string* text : {&deep, &line, &words}) {
            LargePayloads bench(*text);
            QVERIFY(bench.start());
            PayloadPanel* panel = bench.window->panel<PayloadPanel>();
            test::Stalls stalls;
            QVERIFY(stalls.measured("hostile JSON shown as a tree", [&] {
                bench.pick("large");
                return bench.shows("large") && panel->json()->rowCount() > 0;
            }));
            QVERIFY(stalls.measured("opened as deep as it goes", [&] {
                auto* tree = panel->findChild<QTreeView*>();
                QModelIndex at = panel->json()->index(0, 0);
                for (int i = 0; i < 200 && at.isValid(); ++i) {
                    tree->expand(at);
                    QCoreApplication::processEvents();
                    at = panel->json()->index(0, 0, at);
                }
                return true;
            }));
            QVERIFY(stalls.measured("as text of one line", [&] {
                panel->tabs()->setCurrentIndex(1);
                return panel->textView()->lineCount() == 1;
            }));
            QVERIFY(stalls.measured("and its right end", [&] {
                auto* bar = panel->textView()->horizontalScrollBar();
                bar->setValue(bar->maximum());
                QTest::keyClick(panel->textView(), Qt::Key_End);
                return true;
            }));
        }
    }

    /// As when the whole machine is named by mistake.
    void lookingThroughFoldersIsCanceled() {
        const test::EndlessFolder folder;
        test::WindowBench bench;
        bench.window->show();
        QVERIFY(QTest::qWaitForWindowExposed(bench.window.get(), test::patience));
        JobStatus* status = bench.window->parts().jobs;
        QSignalSpy canceled(&bench.engine, &EngineClient::canceled);
        test::Stalls stalls;
        QVERIFY(stalls.measured("folders are looked through", [&] {
            bench.window->openPaths({QString::fromStdString(folder.path().string())});
            return QTest::qWaitFor([&] { return status->progressShown(); }, test::patience);
        }));
        const auto labels = status->findChildren<QLabel*>();
        QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
            return label->text().contains(QStringLiteral("Looking for trace logs · "));
        }));
        QElapsedTimer clock;
        clock.start();
        QTest::mouseClick(status->findChild<QToolButton*>(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(!status->busy(), test::patience);
        QVERIFY2(clock.elapsed() < 5'000, qPrintable(QString::number(clock.elapsed())));
        QCOMPARE(canceled.size(), 1);
        QVERIFY(bench.window->logs()->logs().empty());
    }

private:
    test::OwnSettings m_settings;
};

AOTSCOPE_WINDOW_TEST(tst_window_large, WindowLargeTest)
#include "tst_window_large.moc"
