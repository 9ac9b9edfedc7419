#pragma once

#include "support/fake_backend.h"
#include "support/fake_call.h"
#include "support/fake_engine_client.h"
#include "support/temp_folder.h"
#include "support/window_bench.h"

#include "common/log_list.h"
#include "compare/compare_panel.h"
#include "graph/graph_panel.h"
#include "panels/payload_panel.h"
#include "panels/run_model.h"
#include "panels/run_panel.h"
#include "partition/current_partition.h"
#include "retrace/retrace_panel.h"
#include "steps/current_call.h"
#include "steps/event_model.h"
#include "steps/events_panel.h"
#include "steps/stack_canvas.h"
#include "steps/wrappers_panel.h"
#include "window/graph_dock.h"

#include <filesystem>

namespace aotscope::views {

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

inline void select(RequestsBench& bench, const session::ArtifactReference& graph) {
    bench.window->selection()->select({graph, {}});
}

inline bool showsPartition(const RequestsBench& bench, const session::ArtifactReference& graph) {
    const session::PartitionSnapshotPtr& split = bench.window->currentPartition()->snapshot();
    return split && split->joint->reference.log == graph.log;
}

inline const AskingPanel askingPanels[] = {
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
inline std::string choosableOf(const CurrentPartition& split) {
    for (const session::SavedTensor& row : split.snapshot()->saved) {
        if (!split.choosable(std::vector<std::string>{row.name}).empty()) {
            return row.name;
        }
    }
    return {};
}

} // namespace aotscope::views
