// Every panel with requests: canceled, failed, left while running, superseded by the same question about
// another log. It must always show the right state, and Retry must ask again.
#include "support/fake_backend.h"
#include "support/fake_call.h"
#include "support/fake_engine_client.h"
#include "support/temp_folder.h"
#include "support/window_bench.h"
#include "support/window_test.h"

#include "budget/budget_panel.h"
#include "common/empty_page.h"
#include "common/give_keyboard.h"
#include "common/log_list.h"
#include "compare/compare_panel.h"
#include "graph/graph_panel.h"
#include "memory/memory_panel.h"
#include "panels/payload_panel.h"
#include "panels/run_model.h"
#include "panels/run_panel.h"
#include "panels/text_panel.h"
#include "partition/current_partition.h"
#include "partition/saved_panel.h"
#include "retrace/retrace_panel.h"
#include "steps/current_call.h"
#include "steps/event_model.h"
#include "steps/events_panel.h"
#include "steps/stack_canvas.h"
#include "steps/wrappers_panel.h"
#include "values/values_panel.h"
#include "window/graph_dock.h"

#include <QAbstractButton>
#include <QDockWidget>

#include <filesystem>

using namespace aotscope;
using namespace aotscope::views;

namespace {

/// The window with an engine that answers on demand, and two logs whose records have the same numbers, like
/// those of two ranks.
struct RequestsBench {
    std::shared_ptr<test::FakeBackendControl> backend = std::make_shared<test::FakeBackendControl>();
    test::FakeEngineClient engine{test::fakeBackendFactory(backend)};
    ThemeSource theme;
    test::TempFolder folder;
    std::unique_ptr<MainWindow> window = std::make_unique<MainWindow>(&engine, &theme);

    [[nodiscard]] bool open() {
        test::answerCalls(*backend);
        window->resize(1600, 1000);
        window->show();
        const std::filesystem::path other = folder.path() / "rank_1.log";
        std::filesystem::copy_file(test::sampleLogPath().toStdString(), other);
        window->openPaths({test::sampleLogPath(), QString::fromStdString(other.string())});
        return QTest::qWaitFor(
            [this] {
                const auto& logs = window->logs()->logs();
                return logs.size() == 2 &&
                       std::ranges::all_of(logs, [](const auto& log) { return log.second->complete; }) &&
                       window->currentGraph()->graph() && window->currentPartition()->snapshot();
            },
            test::patience);
    }
    [[nodiscard]] session::ArtifactReference graph(std::size_t log, const std::string& artifact) const {
        const auto place = std::next(window->logs()->logs().begin(), std::ptrdiff_t(log));
        return {place->first, load::CompileId::parse("0/0").value(), artifact};
    }
};

/// A panel with a request.
struct AskingPanel {
    const char* dock;
    /// Of what it asks.
    const char* tag;
    /// Has it ask about a graph, or the compile that the graph is of.
    void (*ask)(RequestsBench&, const session::ArtifactReference&);
    /// Whether it shows what it was told of that graph or its compile.
    bool (*shows)(const RequestsBench&, const session::ArtifactReference&);
};

void select(RequestsBench& bench, const session::ArtifactReference& graph) {
    bench.window->selection()->select({graph, {}});
}

bool showsPartition(const RequestsBench& bench, const session::ArtifactReference& graph) {
    const session::PartitionSnapshotPtr& split = bench.window->currentPartition()->snapshot();
    return split && split->joint->reference.log == graph.log;
}

const AskingPanel askingPanels[] = {
    {"text", "current-graph", select,
     [](const RequestsBench& bench, const session::ArtifactReference& graph) {
         const session::GraphSnapshotPtr& shown = bench.window->currentGraph()->graph();
         return shown && shown->reference == graph;
     }},
    {"graph", "graph-layout", select,
     [](const RequestsBench& bench, const session::ArtifactReference& graph) {
         const session::LayoutSnapshotPtr shown = bench.window->panel<GraphDock>()->panel()->shown();
         return shown && shown->graph->reference == graph;
     }},
    {"payload", "payload", select,
     [](const RequestsBench& bench, const session::ArtifactReference& graph) {
         const session::PayloadSnapshotPtr& shown = bench.window->panel<PayloadPanel>()->shown();
         const auto artifact = bench.window->logs()->tryArtifact(graph);
         return shown && shown->reference.log == graph.log && shown->record == artifact->record;
     }},
    {"saved", "partition", select, showsPartition},
    {"memory", "partition", select, showsPartition},
    {"budget", "partition", select, showsPartition},
    {"run", "run",
     [](RequestsBench& bench, const session::ArtifactReference& graph) {
         select(bench, graph);
         const CurrentGraph* current = bench.window->currentGraph();
         QVERIFY(QTest::qWaitFor([&] { return current->graph() && current->graph()->reference == graph; },
                                 test::patience));
         if (!bench.window->currentGraph()->run()) {
             bench.window->panel<RunPanel>()->run();
         }
     },
     [](const RequestsBench& bench, const session::ArtifactReference& graph) {
         const session::RunSnapshotPtr& run = bench.window->panel<RunPanel>()->model()->run();
         return run && run->graph->reference == graph;
     }},
    {"retrace", "retrace",
     [](RequestsBench& bench, const session::ArtifactReference& graph) {
         select(bench, graph);
         bench.window->panel<RetracePanel>()->retraceCompile();
     },
     [](const RequestsBench& bench, const session::ArtifactReference& graph) {
         return std::ranges::any_of(
             bench.window->panel<RetracePanel>()->results(),
             [&](const session::RetraceSnapshotPtr& traced) { return traced->log == graph.log; });
     }},
    {"wrappers", "wrappers",
     [](RequestsBench& bench, const session::ArtifactReference& graph) {
         bench.window->action(QStringLiteral("show-wrappers"))->trigger();
         select(bench, graph);
     },
     [](const RequestsBench& bench, const session::ArtifactReference& graph) {
         const CalledFunction* function = bench.window->parts().context.call->function();
         return function && function->log == graph.log && function->retraced &&
                !bench.window->panel<WrappersPanel>()->stack()->levels().empty();
     }},
    {"events", "call",
     [](RequestsBench& bench, const session::ArtifactReference& graph) {
         select(bench, graph);
         bench.window->panel<WrappersPanel>()->call(false);
     },
     [](const RequestsBench& bench, const session::ArtifactReference& graph) {
         const CalledFunction* function = bench.window->parts().context.call->function();
         return function && function->log == graph.log && function->record() &&
                bench.window->panel<EventsPanel>()->model()->record() == function->record();
     }},
    {"compare", "compare",
     [](RequestsBench& bench, const session::ArtifactReference& graph) {
         session::ArtifactReference other = graph;
         other.artifact = "dynamo";
         bench.window->panel<ComparePanel>()->compare(other, graph);
     },
     [](const RequestsBench& bench, const session::ArtifactReference& graph) {
         const session::DiffSnapshotPtr shown = bench.window->panel<ComparePanel>()->shown();
         return shown && shown->right->reference == graph;
     }}};

/// A saved result of an operator that can be computed again.
std::string choosableOf(const CurrentPartition& split) {
    for (const session::SavedTensor& row : split.snapshot()->saved) {
        if (!split.choosable(std::vector<std::string>{row.name}).empty()) {
            return row.name;
        }
    }
    return {};
}

} // namespace

class TestWindowRequests : public QObject {
    Q_OBJECT

    std::unique_ptr<RequestsBench> m_bench;
    const AskingPanel* m_panel = nullptr;

    void forEachPanel() {
        QTest::addColumn<int>("panel");
        for (std::size_t i = 0; i < std::size(askingPanels); ++i) {
            QTest::newRow(askingPanels[i].dock) << int(i);
        }
    }
    [[nodiscard]] bool begin() {
        QFETCH(int, panel);
        m_panel = &askingPanels[panel];
        m_bench = std::make_unique<RequestsBench>();
        return m_bench->open();
    }
    /// A graph whose payload, picture and text were not asked for before, in the log that is not shown.
    [[nodiscard]] session::ArtifactReference first() const { return m_bench->graph(1, "forward"); }
    [[nodiscard]] session::ArtifactReference second() const { return m_bench->graph(0, "forward"); }
    [[nodiscard]] EmptyPage* page() const {
        return m_bench->window->dock(QLatin1String(m_panel->dock))->findChild<EmptyPage*>();
    }
    [[nodiscard]] bool pageSays(const char* words) const {
        return page()->message().contains(QLatin1String(words), Qt::CaseInsensitive);
    }
    /// A part of the page that is shown in place of the panel's content, which may have such pages itself;
    /// null: it has no such part.
    template<typename Part>
    [[nodiscard]] Part* partOfPage(QLatin1String name) const {
        for (Part* part : page()->template findChildren<Part*>(name)) {
            if (page()->isEmpty() && part->isVisibleTo(page())) {
                return part;
            }
        }
        return nullptr;
    }
    [[nodiscard]] QString explanation() const {
        const auto* words = partOfPage<QWidget>(QLatin1String(emptyPageName));
        return words != nullptr ? words->accessibleDescription() : QString();
    }
    [[nodiscard]] QAbstractButton* offered(const char* button) const {
        return partOfPage<QAbstractButton>(QLatin1String(button));
    }
    [[nodiscard]] bool shows(const session::ArtifactReference& graph) const {
        return m_panel->shows(*m_bench, graph) && !page()->isEmpty();
    }
    /// Asks, and stops the engine in the middle of it.
    [[nodiscard]] std::optional<test::FakeEngineClient::Job>
    askHalf(const session::ArtifactReference& graph) {
        m_bench->engine.hold(QLatin1String(m_panel->tag));
        m_panel->ask(*m_bench, graph);
        if (!QTest::qWaitFor([this] { return m_bench->engine.held().has_value(); }, test::patience)) {
            return std::nullopt;
        }
        const test::FakeEngineClient::Job job = *m_bench->engine.held();
        m_bench->engine.begin(job);
        return job;
    }

    test::OwnSettings m_settings;

private Q_SLOTS:
    void init() { test::OwnSettings::clear(); }
    void cleanup() { m_bench.reset(); }

    void canceledInTheMiddleItSaysSoAndAsksAgain_data() { forEachPanel(); }
    void canceledInTheMiddleItSaysSoAndAsksAgain() {
        QVERIFY(begin());
        QVERIFY(askHalf(first()));
        // Where something was shown before it stays until the answer comes.
        QTRY_VERIFY_WITH_TIMEOUT(offered("cancelRequest") || !page()->isEmpty(), test::patience);
        QVERIFY(!offered("retryRequest"));
        if (offered("cancelRequest")) {
            QVERIFY(explanation().contains(QStringLiteral("Halfway")));
            offered("cancelRequest")->click();
        } else {
            m_bench->window->action(QStringLiteral("cancel"))->trigger();
        }
        QTRY_VERIFY_WITH_TIMEOUT(offered("retryRequest"), test::patience);
        QVERIFY2(pageSays("canceled"), qPrintable(page()->message()));
        QVERIFY(!offered("cancelRequest"));
        offered("retryRequest")->click();
        QTRY_VERIFY_WITH_TIMEOUT(m_bench->engine.held(), test::patience);
        QVERIFY2(!pageSays("canceled"), qPrintable(page()->message()));
        QVERIFY(!offered("retryRequest"));
        m_bench->engine.release();
        QTRY_VERIFY_WITH_TIMEOUT(shows(first()), test::patience);
    }

    /// The partition of the earlier choices stays, and beside it stands Retry.
    void aCanceledChoiceIsRetriedBesideTheEarlierPartition_data() {
        QTest::addColumn<QString>("dock");
        for (const char* dock : {"saved", "budget", "memory", "inspector"}) {
            QTest::newRow(dock) << QString::fromLatin1(dock);
        }
    }
    void aCanceledChoiceIsRetriedBesideTheEarlierPartition() {
        QFETCH(QString, dock);
        m_bench = std::make_unique<RequestsBench>();
        QVERIFY(m_bench->open());
        QDockWidget* panel = m_bench->window->dock(dock);
        CurrentPartition* split = m_bench->window->currentPartition();
        const std::string node = choosableOf(*split);
        QVERIFY(!node.empty());
        m_bench->window->selection()->select({*split->joint(), node});
        auto* retry = panel->findChild<QAbstractButton*>(QStringLiteral("retryShown"));
        QVERIFY(retry != nullptr);
        const auto isOffered = [&] { return !retry->isHidden(); };
        QVERIFY(!isOffered());
        m_bench->engine.hold(CurrentPartition::tag());
        split->force(std::vector<std::string>{node}, passes::Forced::Recompute);
        QVERIFY(m_bench->engine.held());
        m_bench->engine.cancel(m_bench->engine.held()->number);
        QVERIFY(split->wasCanceled());
        QVERIFY(split->snapshot());
        QVERIFY(isOffered());
        retry->click();
        QVERIFY(m_bench->engine.held());
        QVERIFY(!isOffered());
        m_bench->engine.release();
        QTRY_VERIFY_WITH_TIMEOUT(split->isCurrent(), test::patience);
        QVERIFY(!isOffered());
    }

    void failedItSaysWhyAndAsksAgain_data() { forEachPanel(); }
    void failedItSaysWhyAndAsksAgain() {
        QVERIFY(begin());
        const auto job = askHalf(first());
        QVERIFY(job);
        m_bench->engine.fail(*job, {.code = "test.failed", .message = "The disk is gone."});
        QTRY_VERIFY_WITH_TIMEOUT(offered("retryRequest"), test::patience);
        QVERIFY2(explanation().contains(QStringLiteral("The disk is gone.")), qPrintable(explanation()));
        offered("retryRequest")->click();
        m_bench->engine.release();
        QTRY_VERIFY_WITH_TIMEOUT(shows(first()), test::patience);
    }

    /// It is asked whenever a node is selected, so that a failure must not bring another panel to the front.
    void aValueThatFailsLeavesItsPanelInFront() {
        m_bench = std::make_unique<RequestsBench>();
        QVERIFY(m_bench->open());
        const MainWindow& window = *m_bench->window;
        window.panel<RunPanel>()->run();
        QTRY_VERIFY_WITH_TIMEOUT(window.currentGraph()->run(), test::patience);
        window.action(QStringLiteral("show-values"))->trigger();
        const ir::GraphPtr graph = window.currentGraph()->graph()->graph;
        window.currentGraph()->selectNode(graph->order()[graph->size() / 2]);
        auto* values = window.panel<ValuesPanel>();
        QTRY_VERIFY_WITH_TIMEOUT(values->pages()->message().contains(QStringLiteral("cannot be shown")),
                                 test::patience);
        QVERIFY(values->isVisible());
    }

    void browsedAwayFromAndBackItAsksAgain_data() { forEachPanel(); }
    void browsedAwayFromAndBackItAsksAgain() {
        QVERIFY(begin());
        const auto job = askHalf(first());
        QVERIFY(job);
        m_bench->engine.cancel(job->number);
        QTRY_VERIFY_WITH_TIMEOUT(offered("retryRequest"), test::patience);
        m_bench->engine.release();
        m_panel->ask(*m_bench, second());
        QTRY_VERIFY_WITH_TIMEOUT(shows(second()), test::patience);
        m_panel->ask(*m_bench, first());
        QTRY_VERIFY_WITH_TIMEOUT(shows(first()), test::patience);
    }

    /// The other rank's answer was on its way when it was superseded.
    void anAnswerOfAnotherRankIsDropped_data() { forEachPanel(); }
    void anAnswerOfAnotherRankIsDropped() {
        QVERIFY(begin());
        const auto old = askHalf(first());
        QVERIFY(old);
        m_panel->ask(*m_bench, second());
        QTRY_VERIFY_WITH_TIMEOUT(m_bench->engine.held() && m_bench->engine.held()->number != old->number,
                                 test::patience);
        m_bench->engine.answerLate(*old);
        QVERIFY(!m_panel->shows(*m_bench, first()));
        QVERIFY(!offered("retryRequest"));
        m_bench->engine.release();
        QTRY_VERIFY_WITH_TIMEOUT(shows(second()), test::patience);
        QVERIFY(!m_panel->shows(*m_bench, first()));
    }

    void theEndOfAnotherRanksJobIsDropped_data() { forEachPanel(); }
    void theEndOfAnotherRanksJobIsDropped() {
        QVERIFY(begin());
        const auto old = askHalf(first());
        QVERIFY(old);
        m_panel->ask(*m_bench, second());
        QTRY_VERIFY_WITH_TIMEOUT(m_bench->engine.held() && m_bench->engine.held()->number != old->number,
                                 test::patience);
        const auto now = m_bench->engine.held();
        m_bench->engine.fail(*old, {.code = "test.failed", .message = "The disk is gone."});
        m_bench->engine.begin(*now);
        QVERIFY(!offered("retryRequest"));
        QVERIFY(!explanation().contains(QStringLiteral("The disk is gone.")));
        m_bench->engine.release();
        QTRY_VERIFY_WITH_TIMEOUT(shows(second()), test::patience);
    }

    /// What a closed log was asked for is asked no more, and its answer is not shown.
    void aClosedLogIsNotWaitedFor_data() { forEachPanel(); }
    void aClosedLogIsNotWaitedFor() {
        QVERIFY(begin());
        const auto job = askHalf(first());
        QVERIFY(job);
        m_bench->engine.send(session::CloseLog{first().log});
        QTRY_COMPARE_WITH_TIMEOUT(m_bench->window->logs()->logs().size(), std::size_t(1), test::patience);
        QVERIFY(!m_bench->engine.held() || m_bench->engine.held()->number != job->number);
        m_bench->engine.release();
        m_panel->ask(*m_bench, second());
        QTRY_VERIFY_WITH_TIMEOUT(shows(second()), test::patience);
    }

    void aRunIsStillThereWhenSomebodyComesBack() {
        m_bench = std::make_unique<RequestsBench>();
        QVERIFY(m_bench->open());
        const auto& model = *m_bench->window->panel<RunPanel>()->model();
        const auto current = [&] { return m_bench->window->currentGraph()->graph(); };
        select(*m_bench, first());
        QTRY_VERIFY_WITH_TIMEOUT(current() && current()->reference == first(), test::patience);
        m_bench->window->panel<RunPanel>()->run();
        QTRY_VERIFY_WITH_TIMEOUT(model.run(), test::patience);
        const session::RunSnapshotPtr run = model.run();
        select(*m_bench, second());
        QTRY_VERIFY_WITH_TIMEOUT(current() && current()->reference == second(), test::patience);
        QVERIFY(!model.run());
        select(*m_bench, first());
        QTRY_VERIFY_WITH_TIMEOUT(current() && current()->reference == first(), test::patience);
        QCOMPARE(model.run(), run);
    }
};

AOTSCOPE_WINDOW_TEST(tst_window_requests, TestWindowRequests)

#include "tst_window_requests.moc"
