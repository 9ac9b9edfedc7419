// The first wrong op in one press of a button. Comparisons go to a fake backend.
#include "support/window_bench.h"
#include "support/window_test.h"

#include "panels/run_panel.h"

#include <QLabel>
#include <QPushButton>

#include <vector>

using namespace aotscope;
using namespace aotscope::views;

namespace {

/// Errors of every node; that of `wrong` is one that its dtype does not explain, as are those behind it.
session::ReferenceSnapshot comparedWith(const ir::Graph& graph, const std::string& wrong) {
    session::ReferenceSnapshot compared;
    compared.backend = "fake backend";
    bool isWrong = false;
    for (const ir::NodeId id : graph.order()) {
        if (graph.node(id).op != ir::Opcode::CallFunction) {
            continue;
        }
        isWrong = isWrong || graph.node(id).name == wrong;
        session::NodeError error;
        error.node = id;
        error.dtype = "float32";
        error.total = {0.75, 0.5, 9e6};
        error.own = {0.25, 0.125, 3e6};
        error.inherited = {0.625, 0.25, 4e6};
        error.allowed = 1e-6;
        error.verdict = isWrong ? session::NodeVerdict::Wrong : session::NodeVerdict::Explained;
        if (isWrong && !compared.firstWrong) {
            compared.firstWrong = compared.nodes.size();
        }
        compared.nodes.push_back(std::move(error));
    }
    return compared;
}

/// The name of the call in the middle of the shown graph.
std::string middleNode(const test::WindowBench& bench) {
    std::vector<std::string> calls;
    const ir::Graph& graph = *bench.window->currentGraph()->graph()->graph;
    for (const ir::NodeId id : graph.order()) {
        if (graph.node(id).op == ir::Opcode::CallFunction) {
            calls.push_back(graph.node(id).name);
        }
    }
    return calls.at(calls.size() / 2);
}

} // namespace

class WindowFirstWrongTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::OwnSettings::clear(); }

    void onePressSelectsTheFirstWrongOpEverywhere() {
        test::WindowBench bench;
        QVERIFY(bench.open(test::sampleLogPath()));
        const std::string wrong = middleNode(bench);
        std::uint64_t seed = 0;
        bench.backend->onReference =
            [&](const ir::Graph& graph, const ir::Graph& against,
                const session::RunOptions& options) -> base::Result<session::ReferenceSnapshot> {
            seed = &graph == &against ? options.seed : 0;
            return comparedWith(graph, wrong);
        };
        auto* panel = bench.window->panel<RunPanel>();
        QVERIFY(bench.selectedNode() != wrong);
        QTRY_VERIFY_WITH_TIMEOUT(panel->firstWrongButton()->isEnabled(), test::patience);
        panel->firstWrongButton()->click();
        QTRY_COMPARE_WITH_TIMEOUT(bench.selectedNode(), wrong, test::patience);
        QTRY_VERIFY_WITH_TIMEOUT(bench.window->currentGraph()->node().valid(), test::patience);
        const QString said = panel->summary();
        for (const char* part : {"First wrong op", wrong.c_str(), "0.25"}) {
            QVERIFY2(said.contains(QString::fromStdString(part)), qPrintable(said));
        }
        // Its own error relative to the result, the total error, and the part that comes from its inputs.
        const QString details = panel->findChild<QLabel*>(QStringLiteral("runSummary"))->toolTip();
        for (const char* part : {"0.125", "0.75", "0.625"}) {
            QVERIFY2(details.contains(QString::fromStdString(part)), qPrintable(details));
        }
        // It was the shown graph beside itself.
        QCOMPARE(seed, session::RunOptions().seed);
    }

    void withoutAWrongOpTheSelectionStays() {
        test::WindowBench bench;
        QVERIFY(bench.open(test::sampleLogPath()));
        bench.backend->onReference = [](const ir::Graph& graph, const ir::Graph&, const session::RunOptions&)
            -> base::Result<session::ReferenceSnapshot> { return comparedWith(graph, "no such node"); };
        const std::string before = bench.selectedNode();
        auto* panel = bench.window->panel<RunPanel>();
        QTRY_VERIFY_WITH_TIMEOUT(panel->firstWrongButton()->isEnabled(), test::patience);
        panel->firstWrongButton()->click();
        QTRY_VERIFY_WITH_TIMEOUT(panel->summary().contains(QStringLiteral("No wrong op against float64")),
                                 test::patience);
        QCOMPARE(bench.selectedNode(), before);
    }

    void aComparisonThatFailsSaysWhy() {
        test::WindowBench bench;
        QVERIFY(bench.open(test::sampleLogPath()));
        bench.backend->onReference =
            [](const ir::Graph&, const ir::Graph&,
               const session::RunOptions&) -> base::Result<session::ReferenceSnapshot> {
            return base::Error{.code = "run.too_large", .message = "It needs <b>80 GiB</b>."};
        };
        auto* panel = bench.window->panel<RunPanel>();
        QTRY_VERIFY_WITH_TIMEOUT(panel->firstWrongButton()->isEnabled(), test::patience);
        panel->firstWrongButton()->click();
        QTRY_VERIFY_WITH_TIMEOUT(panel->summary().contains(QStringLiteral("It needs <b>80 GiB</b>.")),
                                 test::patience);
        QTRY_VERIFY_WITH_TIMEOUT(panel->firstWrongButton()->isEnabled(), test::patience);
    }

private:
    test::OwnSettings m_settings;
};

AOTSCOPE_WINDOW_TEST(tst_window_first_wrong, WindowFirstWrongTest)
#include "tst_window_first_wrong.moc"
