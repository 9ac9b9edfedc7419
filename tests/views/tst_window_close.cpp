// Canceling and closing the whole window while its engine works; also run with the thread sanitizer.
#include "support/temp_folder.h"
#include "support/window_bench.h"
#include "support/window_test.h"

#include "panels/problem_model.h"
#include "panels/problems_panel.h"
#include "panels/run_panel.h"
#include "window/job_status.h"

#include <QFile>

#include <fstream>
#include <thread>

using namespace aotscope;
using namespace aotscope::views;

namespace {

/// Runs until it is told to stop.
base::Result<session::RunSnapshot>
runForever(const ir::Graph& /*graph*/, const session::RunOptions& /*options*/, base::Progress& progress) {
    while (!progress.stopRequested()) {
        progress.report("run", 1, 2);
        std::this_thread::yield();
    }
    return base::canceledError();
}

/// Copies of the sample log, `bytes` long, under several names. Reading them takes seconds, so a stop after
/// the first snapshot comes in the middle.
QStringList largeLogs(const test::TempFolder& folder, std::size_t bytes, int names) {
    QFile sample(test::sampleLogPath());
    if (!sample.open(QIODevice::ReadOnly)) {
        return {};
    }
    const QByteArray content = sample.readAll();
    const auto first = folder.path() / "large0.log";
    std::ofstream out(first, std::ios::binary);
    for (std::size_t written = 0; written < bytes; written += static_cast<std::size_t>(content.size())) {
        out.write(content.data(), content.size());
    }
    out.close();
    QStringList paths = {QString::fromStdString(first.string())};
    for (int i = 1; i < names; ++i) {
        const auto link = folder.path() / ("large" + std::to_string(i) + ".log");
        std::filesystem::create_hard_link(first, link);
        paths.append(QString::fromStdString(link.string()));
    }
    return paths;
}

#ifdef __SANITIZE_THREAD__
constexpr std::size_t largeBytes = 6'000'000;
#else
constexpr std::size_t largeBytes = 60'000'000;
#endif
constexpr int largeCount = 30;

} // namespace

class WindowCloseTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::OwnSettings::clear(); }

    void closingInMidRunIsClean() {
        test::WindowBench bench;
        bench.backend->onRun = runForever;
        QVERIFY(bench.open(test::sampleLogPath()));
        QSignalSpy progressed(&bench.engine, &EngineClient::progressed);
        bench.window->action(QStringLiteral("run"))->trigger();
        QVERIFY(bench.window->panel<RunPanel>()->running());
        QTRY_VERIFY_WITH_TIMEOUT(bench.backend->started > 0 && !progressed.isEmpty(), test::patience);
        bench.window->close();
        bench.window.reset();
    }

    void aRunCanBeCanceledAndStartedAgain() {
        test::WindowBench bench;
        bench.backend->onRun = runForever;
        QVERIFY(bench.open(test::sampleLogPath()));
        int canceled = 0;
        connect(&bench.engine, &EngineClient::canceled, this, [&](quint64, const QString& tag) {
            // What the picture asked for may be superseded meanwhile, and is canceled, too.
            canceled += tag == QLatin1String("run") ? 1 : 0;
        });
        for (int i = 1; i <= 2; ++i) {
            bench.window->action(QStringLiteral("run"))->trigger();
            QTRY_VERIFY_WITH_TIMEOUT(bench.backend->started == i, test::patience);
            bench.window->panel<RunPanel>()->cancel();
            QTRY_VERIFY_WITH_TIMEOUT(!bench.window->panel<RunPanel>()->running(), test::patience);
        }
        QCOMPARE(canceled, 2);
        QVERIFY(!bench.window->currentGraph()->run());
    }

    void cancelingInMidLoadLeavesAUsableWindow() {
        const test::TempFolder folder;
        const QStringList paths = largeLogs(folder, largeBytes, largeCount);
        QCOMPARE(paths.size(), largeCount);
        test::WindowBench bench;
        bench.window->show();
        QSignalSpy canceled(&bench.engine, &EngineClient::canceled);
        // At the first news, before the event loop turns again: later, a fast machine may be done.
        quint64 job = 0;
        connect(&bench.engine, &EngineClient::progressed, this, [&](quint64 number) {
            if (job == 0) {
                job = number;
                bench.window->action(QStringLiteral("cancel"))->trigger();
            }
        });
        bench.window->openPaths(paths);
        QTRY_VERIFY_WITH_TIMEOUT(job != 0, test::patience);
        const auto loadCanceled = [&] {
            return std::any_of(canceled.begin(), canceled.end(),
                               [&](const QVariantList& of) { return of.front().toULongLong() == job; });
        };
        QTRY_VERIFY_WITH_TIMEOUT(loadCanceled(), test::patience);
        QTRY_VERIFY_WITH_TIMEOUT(!bench.window->parts().jobs->busy(), test::patience);
        QCOMPARE(bench.window->panel<ProblemsPanel>()->model()->errors(), std::size_t(0));

        QSignalSpy logs(&bench.engine, &EngineClient::logChanged);
        bench.window->openPaths({test::sampleLogPath()});
        QTRY_VERIFY_WITH_TIMEOUT(!logs.isEmpty(), test::patience);
        const auto sample = logs.back().front().value<session::LogSnapshotPtr>();
        QVERIFY(sample);
        QVERIFY(bench.select({sample->log, load::CompileId::parse("0/0").value(), "forward"}));
        QVERIFY(bench.window->currentGraph()->graph()->graph);
    }

    void closingInMidLoadIsClean() {
        const test::TempFolder folder;
        const QStringList paths = largeLogs(folder, largeBytes, largeCount);
        test::WindowBench bench;
        bench.window->show();
        QSignalSpy progressed(&bench.engine, &EngineClient::progressed);
        bench.window->openPaths(paths);
        QTRY_VERIFY_WITH_TIMEOUT(!progressed.isEmpty(), test::patience);
        bench.window->close();
        bench.window.reset();
    }

    void closingWhileAPictureIsLaidOutIsClean() {
        test::WindowBench bench;
        QVERIFY(bench.open(test::sampleLogPath()));
        QSignalSpy started(&bench.engine, &EngineClient::started);
        bench.window->selection()->select({bench.sibling("backward"), {}});
        const auto layingOut = [&] {
            return std::any_of(started.begin(), started.end(), [](const QVariantList& of) {
                return of.back().toString() == QLatin1String("layout");
            });
        };
        QTRY_VERIFY_WITH_TIMEOUT(layingOut(), test::patience);
        bench.window->close();
        bench.window.reset();
    }

private:
    test::OwnSettings m_settings;
};

AOTSCOPE_WINDOW_TEST(tst_window_close, WindowCloseTest)
#include "tst_window_close.moc"
