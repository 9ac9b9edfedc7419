#pragma once

#include "common/current_graph.h"
#include "support/fake_backend.h"
#include "support/view_bench.h"

#include <memory>
#include <string>
#include <utility>

namespace aotscope::test {

/// One panel over a graph of the sample log and its run, which is made up.
struct GraphRunBench : ViewBench {
    std::unique_ptr<views::CurrentGraph> graph;

    /// `artifact`: which of the graphs of compile 0/0.
    GraphRunBench(std::shared_ptr<FakeBackendControl> control, std::string artifact)
        : ViewBench(fakeBackendFactory(std::move(control))),
          graph(std::make_unique<views::CurrentGraph>(&engine, &hub, &logs)),
          m_artifact(std::move(artifact)) {}

    [[nodiscard]] views::ViewContext sharedContext() {
        views::ViewContext shared = context();
        shared.graph = graph.get();
        return shared;
    }
    [[nodiscard]] bool selectGraph() {
        if (!open(sampleLog())) {
            return false;
        }
        hub.select({reference("0/0", m_artifact), {}});
        return QTest::qWaitFor([this] { return graph->graph() != nullptr; }, patience);
    }
    [[nodiscard]] bool run() {
        session::RunOptions options;
        options.seed = 7;
        engine.send(session::RunGraph{graph->graph()->reference, options});
        return QTest::qWaitFor([this] { return graph->run() != nullptr; }, patience);
    }
    /// Shows the panel with the graph and its run.
    [[nodiscard]] bool showWithRun(QWidget& panel) {
        panel.show();
        return QTest::qWaitForWindowExposed(&panel, patience) && selectGraph() && run();
    }

private:
    std::string m_artifact;
};

} // namespace aotscope::test
