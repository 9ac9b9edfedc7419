// The Timeline dock in the whole window: traces made elsewhere, selections both ways, Perfetto's keys, and
// profiled runs of a backend.
#include "support/pictures.h"
#include "support/temp_folder.h"
#include "support/window_bench.h"
#include "support/window_test.h"

#include "common/empty_page.h"
#include "common/log_list.h"
#include "timeline/timeline_canvas.h"
#include "timeline/timeline_details.h"
#include "timeline/timeline_panel.h"

#include <QComboBox>
#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTextBrowser>

#include <algorithm>
#include <fstream>

using namespace aotscope;
using namespace aotscope::views;
using timeline::EventId;

namespace {

QString recorded(const char* name) {
    return QStringLiteral(AOTSCOPE_TEST_DIR "/timeline/") + QLatin1String(name);
}

/// The first event of that name in a row of that kind.
EventId eventOf(const timeline::Timeline& timeline, const std::string& name, timeline::RowKind kind) {
    for (std::uint32_t row = 0; row < timeline.rows().size(); ++row) {
        for (std::uint32_t index = 0; index < timeline.rows()[row]->size(); ++index) {
            if (timeline.rows()[row]->kind == kind && timeline.name({row, index}) == name) {
                return {row, index};
            }
        }
    }
    return {9'999, 0};
}

/// An event of a trace. Without raw strings, which end moc's reading of the file.
std::string eventText(const std::string& category, const std::string& name, int thread, double start,
                      double length) {
    return "{\"ph\":\"X\",\"cat\":\"" + category + "\",\"name\":\"" + name +
           "\",\"pid\":1,\"tid\":" + std::to_string(thread) + ",\"ts\":" + std::to_string(start) +
           ",\"dur\":" + std::to_string(length) + "}";
}

/// A run in which every node is a range with one operator, as a backend's profiler would write it.
session::RunSnapshot profiledRun(const ir::Graph& graph, const session::RunOptions& options) {
    session::RunSnapshot run;
    run.backend = "fake backend";
    run.nanoseconds = options.profile ? 3'000'000 : 1'000'000;
    std::string events;
    double time = 100;
    for (const ir::NodeId id : graph.order()) {
        const ir::Node& node = graph.node(id);
        session::NodeRun& ran = run.nodes.emplace_back();
        ran.node = id;
        ran.nanoseconds = 1;
        events +=
            (events.empty() ? "" : ",") + eventText("user_annotation", "node " + node.name, 7, time, 10);
        if (node.op == ir::Opcode::CallFunction) {
            events += "," + eventText("cpu_op", "aten::work", 7, time + 2, 6);
        }
        time += 12;
    }
    if (options.profile) {
        run.profileTrace = "{\"traceEvents\":[" + events + "]}";
    }
    return run;
}

} // namespace

class TestWindowTimeline : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::OwnSettings::clear(); }

    void aTraceMadeElsewhereIsMatchedWithTheOpenGraph() {
        test::WindowBench bench;
        QVERIFY(bench.open(recorded("mlp_forward.txt")));
        auto* panel = bench.window->panel<TimelinePanel>();
        TimelineCanvas* canvas = panel->canvas();
        bench.window->openPaths({recorded("mlp_trace.json.gz")});
        QTRY_VERIFY_WITH_TIMEOUT(panel->profile() != nullptr, test::patience);
        // The dock comes into sight, and the graph stays selected.
        QTRY_VERIFY_WITH_TIMEOUT(canvas->isVisible() && canvas->width() > 300, test::patience);
        QCOMPARE(panel->profile()->matched.matches.nodes.size(), std::size_t(5));
        QVERIFY(panel->summary().contains(QStringLiteral("5 nodes found")));
        QCOMPARE(bench.window->currentGraph()->graph()->graph->size(), std::size_t(11));

        // From the picture to the node …
        const timeline::Timeline& timeline = canvas->look().scene->timeline();
        const EventId node = eventOf(timeline, "gelu", timeline::RowKind::Nodes);
        canvas->fit(node);
        QTest::mouseClick(canvas, Qt::LeftButton, {}, canvas->rectOf(node).center().toPoint());
        QCOMPARE(canvas->look().selected, std::optional(node));
        QCOMPARE(bench.selectedNode(), std::string("gelu"));
        QVERIFY(panel->details()->toPlainText().contains(QStringLiteral("aten.gelu.default")));
        QVERIFY(panel->details()->toPlainText().contains(QStringLiteral("aten::gelu")));
        // … and back, also from the operator inside.
        bench.window->selection()->select({bench.window->currentGraph()->graph()->reference, "addmm_1"});
        const EventId other = eventOf(timeline, "addmm_1", timeline::RowKind::Nodes);
        QCOMPARE(canvas->look().selected, std::optional(other));
        const EventId call = eventOf(timeline, "aten::gelu", timeline::RowKind::Thread);
        canvas->showAll();
        canvas->fit(call);
        QTest::mouseClick(canvas, Qt::LeftButton, {}, canvas->rectOf(call).center().toPoint());
        QCOMPARE(bench.selectedNode(), std::string("gelu"));
        QVERIFY(panel->details()->toPlainText().contains(QStringLiteral("Input Dims")));
        takePictures(bench, QStringLiteral("window-timeline-trace"));
    }

    void perfettosKeysMoveAndSearch() {
        test::WindowBench bench;
        QVERIFY(bench.open(recorded("mlp_forward.txt")));
        bench.window->openPaths({recorded("gpu_trace.json")});
        auto* panel = bench.window->panel<TimelinePanel>();
        TimelineCanvas* canvas = panel->canvas();
        QTRY_VERIFY_WITH_TIMEOUT(panel->profile() != nullptr && canvas->width() > 300, test::patience);
        const double all = canvas->look().to - canvas->look().from;
        QTest::keyClick(canvas, Qt::Key_W);
        QVERIFY(canvas->look().to - canvas->look().from < all);
        const double from = canvas->look().from;
        QTest::keyClick(canvas, Qt::Key_A);
        QVERIFY(canvas->look().from < from);
        QTest::keyClick(canvas, Qt::Key_D);
        QTest::keyClick(canvas, Qt::Key_S);
        QTest::keyClick(canvas, Qt::Key_S);
        QCOMPARE(canvas->look().to - canvas->look().from, all);

        const timeline::Timeline& timeline = canvas->look().scene->timeline();
        // Also the row of the recording's end, which is in no process and no thread.
        for (std::uint32_t row = 0; row < timeline.rows().size(); ++row) {
            QVERIFY(!rowTitle(timeline, row).isEmpty());
        }
        const EventId kernel =
            eventOf(timeline, "ampere_sgemm_32x32_sliced1x4_tn", timeline::RowKind::Stream);
        QTest::keyClick(canvas, Qt::Key_Slash);
        // Without a window manager no window is active, but each knows where its keyboard is.
        QTRY_VERIFY_WITH_TIMEOUT(bench.window->focusWidget() == panel->searchField(), test::patience);
        QTest::keyClicks(panel->searchField(), QStringLiteral("sgemm"));
        QTRY_COMPARE_WITH_TIMEOUT(panel->searchResult(), QStringLiteral("1 event"), test::patience);
        QTest::keyClick(panel->searchField(), Qt::Key_Return);
        QCOMPARE(canvas->look().selected, std::optional(kernel));
        QVERIFY(panel->details()->toPlainText().contains(QStringLiteral("1 × 8 × 4")));
        QVERIFY(panel->details()->toPlainText().contains(QStringLiteral("cudaLaunchKernel")));
        panel->searchField()->clear();
        QVERIFY(canvas->look().found.empty());

        QTest::keyClick(canvas, Qt::Key_F);
        QTest::keyClick(canvas, Qt::Key_F);
        QVERIFY(canvas->look().to - canvas->look().from < 20'000);
        QVERIFY(canvas->rectOf(kernel).width() > canvas->width() * 0.6);
        QTest::keyClick(canvas, Qt::Key_M);
        QCOMPARE(canvas->look().marks.size(), std::size_t(1));
        QCOMPARE(canvas->look().marks[0].second - canvas->look().marks[0].first, std::int64_t(12'500));
        QTest::keyClick(canvas, Qt::Key_Period);
        QCOMPARE(canvas->look().selected,
                 std::optional(eventOf(timeline, "triton_poi_fused_gelu_0", timeline::RowKind::Stream)));
        QTest::keyClick(canvas, Qt::Key_Comma);
        QCOMPARE(canvas->look().selected, std::optional(kernel));
        QTest::keyClick(canvas, Qt::Key_F);
        QTest::keyClick(canvas, Qt::Key_F);
        QTest::keyClick(canvas, Qt::Key_F);
        QCOMPARE(canvas->look().to - canvas->look().from, all);
        takePictures(bench, QStringLiteral("window-timeline-gpu"));
        QTest::keyClick(canvas, Qt::Key_Escape);
        QVERIFY(canvas->look().marks.empty() && !canvas->look().selected);
    }

    void theNextOfTheSameName() {
        test::WindowBench bench;
        QVERIFY(bench.open(recorded("mlp_forward.txt")));
        bench.window->openPaths({recorded("mlp_trace.json.gz")});
        auto* panel = bench.window->panel<TimelinePanel>();
        TimelineCanvas* canvas = panel->canvas();
        QTRY_VERIFY_WITH_TIMEOUT(panel->profile() != nullptr && canvas->width() > 300, test::patience);
        const timeline::Timeline& timeline = canvas->look().scene->timeline();
        std::vector<std::int64_t> starts;
        const timeline::Row& row = timeline.row(eventOf(timeline, "aten::addmm", timeline::RowKind::Thread));
        for (std::uint32_t index = 0; index < row.size(); ++index) {
            if (timeline.parts().names[row.names[index]] == "aten::addmm") {
                starts.push_back(row.starts[index]);
            }
        }
        QCOMPARE(starts.size(), std::size_t(2));
        canvas->setSelected(eventOf(timeline, "aten::addmm", timeline::RowKind::Thread));
        QTest::keyClick(canvas, Qt::Key_BracketRight);
        QCOMPARE(timeline.start(*canvas->look().selected), std::max(starts[0], starts[1]));
        QTest::keyClick(canvas, Qt::Key_BracketRight);
        QCOMPARE(timeline.start(*canvas->look().selected), std::max(starts[0], starts[1]));
        QTest::keyClick(canvas, Qt::Key_BracketLeft);
        QCOMPARE(timeline.start(*canvas->look().selected), std::min(starts[0], starts[1]));
        QTest::keyClick(canvas, Qt::Key_Down);
        QCOMPARE(timeline.name(*canvas->look().selected), std::string("aten::expand"));
        QTest::keyClick(canvas, Qt::Key_Up);
        QCOMPARE(timeline.name(*canvas->look().selected), std::string("aten::addmm"));
    }

    void theSelectedStepIsProfiled() {
        test::WindowBench bench;
        bench.backend->onRun = [](const ir::Graph& graph, const session::RunOptions& options,
                                  base::Progress&) {
            return base::Result<session::RunSnapshot>(profiledRun(graph, options));
        };
        QVERIFY(bench.open(test::sampleLogPath()));
        bench.window->action(QStringLiteral("show-timeline"))->trigger();
        auto* panel = bench.window->panel<TimelinePanel>();
        QVERIFY(panel->pages()->isEmpty());
        QCOMPARE(panel->profileButton()->text(), QStringLiteral("Profile this step"));
        bench.window->action(QStringLiteral("profile"))->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(panel->profile() != nullptr, test::patience);
        QVERIFY(!panel->pages()->isEmpty());
        const auto& matches = panel->profile()->matched.matches;
        QCOMPARE(matches.graphs.size(), std::size_t(2));
        QVERIFY(matches.unmatchedNodes[0].empty() && matches.unmatchedNodes[1].empty());
        QVERIFY(panel->summary().contains(QStringLiteral("3.00 × as long")));
        session::Profile noisy;
        noisy.nanoseconds = 900;
        noisy.plainNanoseconds = 1000;
        QCOMPARE(profilerCost(noisy), QStringLiteral("profiler overhead below noise"));
        // A node of the joint graph is found in the half that ran it.
        const auto& graph = *matches.graphs[1].graph;
        const std::string name = graph.node(matches.nodes.back().node).name;
        bench.window->selection()->select({bench.sibling("backward"), name});
        QVERIFY(panel->canvas()->look().selected.has_value());
        QCOMPARE(panel->canvas()->look().scene->timeline().name(*panel->canvas()->look().selected), name);
        takePictures(bench, QStringLiteral("window-timeline-run"));
    }

    void aFailedRunOffersRetry() {
        test::WindowBench bench;
        bool fails = true;
        bench.backend->onRun = [&fails](const ir::Graph& graph, const session::RunOptions& options,
                                        base::Progress&) -> base::Result<session::RunSnapshot> {
            if (fails) {
                return base::Error{.code = "run.test", .message = "No kernel today."};
            }
            return profiledRun(graph, options);
        };
        QVERIFY(bench.open(test::sampleLogPath()));
        bench.window->action(QStringLiteral("show-timeline"))->trigger();
        auto* panel = bench.window->panel<TimelinePanel>();
        QTRY_VERIFY_WITH_TIMEOUT(panel->profileButton()->isEnabled(), test::patience);
        panel->profileButton()->click();
        QTRY_COMPARE_WITH_TIMEOUT(panel->pages()->message(), QStringLiteral("The graph cannot be profiled"),
                                  test::patience);
        const auto labels = panel->pages()->findChildren<QLabel*>();
        QVERIFY(std::ranges::any_of(labels, [](const QLabel* label) {
            return label->text().contains(QStringLiteral("No kernel today."));
        }));
        fails = false;
        auto* retry = panel->pages()->findChild<QPushButton*>(QStringLiteral("retryRequest"));
        QTRY_VERIFY_WITH_TIMEOUT(!retry->isHidden(), test::patience);
        retry->click();
        QTRY_VERIFY_WITH_TIMEOUT(panel->profile() != nullptr, test::patience);
    }

    void aDamagedTraceSaysSo() {
        const test::TempFolder folder;
        const auto file =
            folder.write("cut.json", "{\"traceEvents\": [" + eventText("cpu_op", "a", 1, 1, 2) + ",{\"ph\":");
        test::WindowBench bench;
        bench.window->show();
        bench.window->openPaths({QString::fromStdString(file.string())});
        auto* panel = bench.window->panel<TimelinePanel>();
        QTRY_VERIFY_WITH_TIMEOUT(panel->profile() != nullptr, test::patience);
        // It is the only file, and in sight.
        QTRY_VERIFY_WITH_TIMEOUT(panel->canvas()->isVisible(), test::patience);
        // The event that is cut off, and the list that is not closed.
        QCOMPARE(panel->summary().section(QStringLiteral(" · "), -1),
                 QStringLiteral("⚠ 2 problems in the file"));
        QVERIFY(panel->details()->toPlainText().contains(QStringLiteral("ends inside the event")));
        // Closing the file leaves an empty page.
        bench.engine.send(session::CloseLog{bench.window->logs()->logs().begin()->first});
        QTRY_VERIFY_WITH_TIMEOUT(panel->profile() == nullptr && panel->pages()->isEmpty(), test::patience);
    }

    /// What is drawn depends on the pixels: a million events take no longer than a frame or two.
    void aMillionEventsAreDrawnByPixels() {
        const test::TempFolder folder;
        const std::filesystem::path file = folder.path() / "many.json";
        {
            std::ofstream out(file);
            out << "[";
            for (int i = 0; i < 300'000; ++i) {
                out << eventText("cpu_op", "op" + std::to_string(i % 50), 1, i * 4.0, 3) << ','
                    << eventText("cpu_op", "in", 1, i * 4.0 + 0.5, 1) << ','
                    << eventText("cpu_op", "in", 2, i * 4.0 + 0.5, 1) << ',';
            }
        }
        test::WindowBench bench;
        QVERIFY(bench.open(recorded("mlp_forward.txt")));
        bench.window->openPaths({QString::fromStdString(file.string())});
        auto* panel = bench.window->panel<TimelinePanel>();
        QTRY_VERIFY_WITH_TIMEOUT(panel->profile() != nullptr, test::patience);
        TimelineCanvas* canvas = panel->canvas();
        QTRY_VERIFY_WITH_TIMEOUT(canvas->width() > 300 && canvas->isVisible(), test::patience);
        QCOMPARE(canvas->look().scene->timeline().eventCount(), std::size_t(900'000));
        canvas->grab();
        const std::size_t most = 3 * std::size_t(canvas->width() * canvas->devicePixelRatioF()) + 100;
        QVERIFY2(canvas->painter().drawn() <= most, qPrintable(QString::number(canvas->painter().drawn())));
        canvas->showTime(1e6, 1.001e6);
        canvas->grab();
        QVERIFY(canvas->painter().drawn() > 0);
        QVERIFY2(canvas->painter().drawn() <= most, qPrintable(QString::number(canvas->painter().drawn())));
    }

private:
    static void takePictures(test::WindowBench& bench, const QString& name) {
        for (const bool dark : {true, false}) {
            bench.theme.choose(dark ? ThemeSource::Choice::Dark : ThemeSource::Choice::Light);
            QCoreApplication::processEvents();
            const QImage picture = bench.window->grab().toImage();
            QVERIFY(!test::isBlank(picture));
            QVERIFY(picture.save(test::artifactPath(
                name + (dark ? QStringLiteral("-dark.png") : QStringLiteral("-light.png")))));
        }
    }

    test::OwnSettings m_settings;
};

AOTSCOPE_WINDOW_TEST(tst_window_timeline, TestWindowTimeline)
#include "tst_window_timeline.moc"
