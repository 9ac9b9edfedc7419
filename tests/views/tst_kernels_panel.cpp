// The Kernels dock over a session whose runs and reruns are made up: its rows, what it asks for, its history.
#include "kernels/kernels_panel.h"

#include "common/code_edit.h"
#include "common/empty_page.h"
#include "common/run_device.h"
#include "common/shown_kernels.h"
#include "kernels/kernel_model.h"
#include "kernels/kernel_page.h"
#include "kernels/kernel_source.h"
#include "kernels/rerun_form.h"
#include "kernels/rerun_history.h"
#include "kernels/rerun_plot.h"
#include "kernels/rerun_values_model.h"

#include "graph_run_bench.h"

#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTabWidget>
#include <QTextBlock>
#include <QTreeView>

#include <algorithm>

using namespace aotscope;
using namespace aotscope::views;

namespace {

/// Each node takes as many microseconds as its place says. A rerun of n takes from 100 µs on, longer each
/// time.
std::shared_ptr<test::FakeBackendControl> madeUpTimes() {
    auto control = std::make_shared<test::FakeBackendControl>();
    control->onRun = [](const ir::Graph& graph, const session::RunOptions& options, base::Progress&) {
        session::RunSnapshot run = test::FakeBackend::everyNodeRan(graph, options);
        for (std::size_t i = 0; i < run.nodes.size(); ++i) {
            run.nodes[i].nanoseconds = 1000 * static_cast<std::int64_t>(i + 1);
        }
        return base::Result<session::RunSnapshot>(std::move(run));
    };
    auto count = std::make_shared<std::int64_t>(0);
    control->onRerun = [count](const session::RerunRequest& request,
                               base::Progress&) -> base::Result<session::RerunResult> {
        if (request.settings.changes.dtype == ir::DType::Float16) {
            return base::Error{.code = "run.operator_failed", .message = "There is no such kernel."};
        }
        session::RerunResult result;
        result.nodes = request.nodes;
        const std::int64_t shortest = 100'000 + 20'000 * (*count)++;
        for (std::size_t i = 0; i < request.settings.repetitions; ++i) {
            const auto spread = static_cast<std::int64_t>(i * i % 37);
            result.samples.push_back(shortest + 700 * spread);
        }
        session::RerunValue input{
            "input", 0, {"float32", {8, 16}, {16, 1}, 512, -2.0, 0.1, 2.5, 0, 0}, {}, {}};
        session::RerunValue output = input;
        output.node = request.nodes.back();
        output.fromRun = session::ValueDifference();
        if (request.baseline) {
            output.fromBaseline = session::ValueDifference{0.5, 0.1, 0.25, {1, 2}, 1, 1.5, {}};
        }
        result.inputs = {input};
        result.outputs = {output};
        result.restored = {"input"};
        result.notes = {"The nodes are short."};
        if (request.run.device.index == 1) {
            return base::Error{.code = "run.no_gpu", .message = "Nothing can run on cuda:1 here."};
        }
        result.device = request.run.device.text();
        result.clock =
            request.run.device.isCuda() ? session::RerunClock::CudaEvents : session::RerunClock::Steady;
        return result;
    };
    return control;
}

struct KernelsBench : test::GraphRunBench {
    ShownKernels kernels;
    std::unique_ptr<RunDevice> device;
    std::unique_ptr<KernelsPanel> panel;

    KernelsBench() : test::GraphRunBench(madeUpTimes(), "forward") {
        ViewContext shared = sharedContext();
        shared.kernels = &kernels;
        device = std::make_unique<RunDevice>(&engine);
        shared.device = device.get();
        panel = std::make_unique<KernelsPanel>(shared);
        panel->resize(1280, 420);
    }

    [[nodiscard]] bool show() { return showWithRun(*panel); }
    [[nodiscard]] std::size_t reruns() const { return panel->history()->of(panel->page()->subject()).size(); }
    /// Reruns what is selected and waits for the result.
    [[nodiscard]] bool rerun() const {
        const std::size_t before = reruns();
        panel->page()->form()->rerunButton()->click();
        return QTest::qWaitFor(
            [&] { return reruns() == before + 1 && !panel->page()->request()->isUnderWay(); },
            test::patience);
    }
    void selectRow(int row) const {
        panel->list()->selectionModel()->setCurrentIndex(
            panel->model()->index(row, 0), QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    }
    [[nodiscard]] QString cell(int row, int column) const {
        return panel->model()->index(row, column).data().toString();
    }
    [[nodiscard]] std::vector<session::RerunNodes> asked() const {
        std::vector<session::RerunNodes> asked;
        for (const session::Command& command : engine.sent()) {
            if (const auto* rerun = std::get_if<session::RerunNodes>(&command)) {
                asked.push_back(*rerun);
            }
        }
        return asked;
    }
};

} // namespace

class TestKernelsPanel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void emptyPagesSayHowToGetThere() {
        KernelsBench bench;
        bench.panel->show();
        QVERIFY(bench.panel->pages()->message().contains(QStringLiteral("No graph")));
        QVERIFY(bench.selectGraph());
        QTRY_VERIFY_WITH_TIMEOUT(!bench.panel->pages()->isEmpty(), test::patience);
        QVERIFY(bench.panel->summary().contains(QStringLiteral("F5")));
        QVERIFY(!bench.panel->page()->form()->rerunButton()->isEnabled());
    }

    void theListHasTheTimesAndSharesOfTheRun() {
        KernelsBench bench;
        QVERIFY(bench.show());
        const ir::Graph& nodes = *bench.graph->graph()->graph;
        KernelModel* model = bench.panel->model();
        QVERIFY(model->rowCount() > 10);
        double shares = 0;
        for (int row = 0; row < model->rowCount(); ++row) {
            const ir::Node& node = nodes.node(model->nodesAt(model->index(row, 0)).front());
            QVERIFY(node.op == ir::Opcode::CallFunction);
            QVERIFY(!node.target.starts_with("aten.view"));
            shares += bench.cell(row, KernelModel::Share).toDouble();
        }
        QVERIFY(std::abs(shares - 100) < 0.1 * model->rowCount());
        // The last node took longest.
        bench.panel->list()->sortByColumn(KernelModel::Time, Qt::DescendingOrder);
        QVERIFY(bench.cell(0, KernelModel::Position).toInt() > bench.cell(1, KernelModel::Position).toInt());
        bench.panel->filter()->setText(QStringLiteral("addmm"));
        QVERIFY(model->rowCount() >= 1);
        for (int row = 0; row < model->rowCount(); ++row) {
            QVERIFY(bench.cell(row, KernelModel::Op).contains(QStringLiteral("addmm")));
        }
        QVERIFY(bench.panel->summary().contains(QStringLiteral(" of ")));
    }

    void theCurrentPointFollowsBothWays() {
        KernelsBench bench;
        QVERIFY(bench.show());
        bench.selectRow(3);
        const ir::NodeId node = bench.panel->model()->nodesAt(bench.panel->model()->index(3, 0)).front();
        QVERIFY(bench.graph->node() == node);
        const ir::NodeId other = bench.panel->model()->nodesAt(bench.panel->model()->index(5, 0)).front();
        bench.graph->selectNode(other);
        QCOMPARE(bench.panel->list()->currentIndex().row(), 5);
        QCOMPARE(bench.panel->page()->subject().nodes,
                 std::vector<std::string>{bench.graph->graph()->graph->node(other).name});
    }

    void aRerunAsksForTheNodeWithTheInputsOfTheRun() {
        KernelsBench bench;
        QVERIFY(bench.show());
        bench.selectRow(2);
        bench.panel->page()->form()->repetitions()->setValue(20);
        bench.panel->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(bench.panel.get(), test::patience));
        bench.panel->list()->setFocus();
        QTest::keyClick(bench.panel->list(), Qt::Key_Return, Qt::ControlModifier);
        QTRY_COMPARE_WITH_TIMEOUT(bench.reruns(), std::size_t(1), test::patience);
        const session::RerunNodes asked = bench.asked().front();
        QCOMPARE(asked.nodes, std::vector<std::string>{bench.cell(2, KernelModel::Name).toStdString()});
        QCOMPARE(asked.run.seed, std::uint64_t(7));
        QCOMPARE(asked.settings.repetitions, std::size_t(20));
        QVERIFY(asked.settings.changes.isNone());
        QVERIFY(bench.panel->page()->said().contains(QStringLiteral("min 100 µs")));
        QVERIFY(bench.panel->page()->said().contains(QStringLiteral("beside the run: equal")));
        QVERIFY(!bench.cell(2, KernelModel::Rerun).isEmpty());
        QCOMPARE(bench.panel->page()->values()->rowCount(), 2);
        QCOMPARE(bench.panel->page()->values()->index(0, RerunValuesModel::Role).data().toString(),
                 QStringLiteral("in, put back"));
    }

    void rerunsUseTheChosenDevice() {
        KernelsBench bench;
        QVERIFY(bench.show());
        bench.selectRow(2);
        QVERIFY(bench.rerun());
        QVERIFY(bench.asked().back().run.device == session::DeviceChoice());
        QVERIFY(!bench.panel->page()->said().contains(QStringLiteral("CUDA")));
        // The one on the CPU is what that on the GPU is compared with.
        bench.panel->page()->baselineButton()->click();
        bench.device->choose({session::DeviceChoice::Kind::Cuda, 0});
        QVERIFY(bench.rerun());
        QCOMPARE(bench.asked().back().run.device.text(), std::string("cuda:0"));
        QVERIFY(bench.asked().back().settings.changes.isNone());
        QVERIFY(bench.asked().back().baseline.has_value());
        QVERIFY(bench.panel->page()->said().contains(QStringLiteral("on cuda:0, timed by CUDA events")));
        // What cannot be done says why.
        bench.device->choose({session::DeviceChoice::Kind::Cuda, 1});
        bench.panel->page()->form()->rerunButton()->click();
        QTRY_VERIFY_WITH_TIMEOUT(
            bench.panel->page()->said().contains(QStringLiteral("Nothing can run on cuda:1 here.")),
            test::patience);
        QCOMPARE(bench.reruns(), std::size_t(2));
    }

    void aBaselineIsKeptAndComparedWith() {
        KernelsBench bench;
        QVERIFY(bench.show());
        bench.selectRow(2);
        QVERIFY(bench.rerun());
        KernelPage* page = bench.panel->page();
        page->baselineButton()->click();
        QVERIFY(page->baselineButton()->isChecked());
        QVERIFY(bench.rerun());
        QVERIFY(bench.asked().back().baseline.has_value());
        QVERIFY(page->said().contains(QStringLiteral("beside the baseline: max 0.5")));
        QVERIFY(page->said().contains(QStringLiteral("the baseline's median")));
        QVERIFY(!page->baselineButton()->isChecked());
        // Choosing the first point shows it again; unkeeping it compares with the run alone.
        QTest::mouseClick(page->plot(), Qt::LeftButton, {}, page->plot()->placeOf(0).toPoint());
        QCOMPARE(page->plot()->selected(), std::optional<std::size_t>(0));
        QVERIFY(page->baselineButton()->isChecked());
        page->baselineButton()->click();
        QVERIFY(bench.rerun());
        QVERIFY(!bench.asked().back().baseline);
        // Another node has its own history.
        bench.selectRow(4);
        QCOMPARE(bench.reruns(), std::size_t(0));
        bench.selectRow(2);
        QCOMPARE(bench.reruns(), std::size_t(3));
    }

    void twistsAreAskedForAndMistakesSaid() {
        KernelsBench bench;
        QVERIFY(bench.show());
        bench.selectRow(2);
        RerunForm* form = bench.panel->page()->form();
        form->dtypes()->setCurrentIndex(3);
        form->caches()->setCurrentIndex(1);
        form->algorithms()->setCurrentIndex(1);
        form->sizes()->setText(QStringLiteral("mm=8x16, add = 3"));
        QSignalSpy changes(bench.panel->page()->request(), &RequestBase::changed);
        form->rerunButton()->click();
        QVERIFY(changes.isEmpty());
        QVERIFY(bench.panel->page()->said().contains(QStringLiteral("is no size")));
        form->sizes()->setText(QStringLiteral("mm=8x16"));
        QVERIFY(bench.rerun());
        const session::RerunSettings settings = bench.asked().back().settings;
        QVERIFY(settings.changes.dtype == ir::DType::BFloat16);
        QVERIFY(settings.coldCache);
        QVERIFY(settings.changes.deterministic == true);
        QCOMPARE(settings.changes.sizes.at("mm"), (std::vector<std::int64_t>{8, 16}));
        QVERIFY(bench.panel->page()->said().contains(QStringLiteral("bfloat16")));
        // A rerun with changes does not count as the node's own time.
        QVERIFY(bench.cell(2, KernelModel::Rerun).isEmpty());
        form->dtypes()->setCurrentIndex(4);
        form->rerunButton()->click();
        QTRY_VERIFY_WITH_TIMEOUT(
            bench.panel->page()->said().contains(QStringLiteral("There is no such kernel.")), test::patience);
        QCOMPARE(bench.reruns(), std::size_t(1));
    }

    void operatorsHaveTheirNodesBelow() {
        KernelsBench bench;
        QVERIFY(bench.show());
        const int nodes = bench.panel->model()->rowCount();
        bench.panel->groupingBox()->setCurrentIndex(1);
        const int operators = bench.panel->model()->rowCount();
        QVERIFY(operators < nodes);
        int below = 0;
        for (int row = 0; row < operators; ++row) {
            below += bench.panel->model()->rowCount(bench.panel->model()->index(row, 0));
        }
        QCOMPARE(below, nodes);
        bench.graph->selectNode(bench.panel->model()->nodesAt(bench.panel->model()->index(0, 0)).front());
        QVERIFY(bench.panel->list()->currentIndex().parent().isValid());
        // An operator's nodes are run together.
        bench.selectRow(0);
        QCOMPARE(bench.panel->page()->subject().nodes.size(),
                 bench.panel->model()->nodesAt(bench.panel->model()->index(0, 0)).size());
    }

    void byFusedKernelTheRowOfANodeIsItsKernels() {
        KernelsBench bench;
        QVERIFY(bench.show());
        QVERIFY(!bench.kernels.wanted());
        bench.panel->groupingBox()->setCurrentIndex(KernelsPanel::FusedKernels);
        QVERIFY(bench.kernels.wanted());
        QTRY_VERIFY_WITH_TIMEOUT(bench.kernels.plan() &&
                                     bench.panel->model()->graph() == bench.kernels.plan()->graph,
                                 test::patience);
        const ir::Graph& nodes = *bench.graph->graph()->graph;
        std::size_t checked = 0;
        for (const kernels::FusionGroup& group : bench.kernels.plan()->plan.groups) {
            for (const ir::NodeId node : group.nodes) {
                bench.graph->selectNode(node);
                const QModelIndex row = bench.panel->list()->currentIndex();
                QVERIFY(!row.parent().isValid());
                QCOMPARE(bench.panel->model()->kernelAt(row)->name, group.kernel.name);
                QVERIFY(bench.panel->page()->subject().nodes.size() >= group.nodes.size());
                const CodeEdit* edit = bench.panel->page()->source()->edit();
                // The list of the kernel's nodes at its head, and the line that makes the value: a copy's
                // value is that of what it copies.
                const bool isCopy = nodes.node(node).target.starts_with("aten.clone");
                QVERIFY(edit->relatedLines().size() >= (isCopy ? 1U : 2U));
                for (const int line : edit->relatedLines()) {
                    const QString code = edit->document()->findBlockByNumber(line - 1).text();
                    const QString name = QString::fromStdString(nodes.node(node).name);
                    QVERIFY2(!code.contains(QStringLiteral("//")) || code.contains(name), qPrintable(code));
                }
                ++checked;
            }
        }
        QVERIFY(checked > 5);
        // Choosing another kernel goes to its first node; a node of the chosen one stays.
        for (int row = 0; row < bench.panel->model()->rowCount(); ++row) {
            const QModelIndex index = bench.panel->model()->index(row, 0);
            if (bench.panel->model()->kernelAt(index)) {
                const std::vector<ir::NodeId> own = bench.panel->model()->nodesAt(index);
                bench.panel->list()->clearSelection();
                bench.selectRow(row);
                QVERIFY(bench.panel->page()->said().startsWith(QStringLiteral("Rerun runs this kernel")));
                QVERIFY(std::ranges::find(own, bench.graph->node()) != own.end());
                bench.graph->selectNode(own.back());
                QCOMPARE(bench.panel->list()->currentIndex().row(), row);
                QVERIFY(bench.graph->node() == own.back());
            }
        }
        bench.panel->groupingBox()->setCurrentIndex(KernelsPanel::Nodes);
        QVERIFY(!bench.kernels.wanted() && !bench.kernels.plan());
    }

    void picturesInBothThemes() {
        for (const auto choice : {ThemeSource::Choice::Dark, ThemeSource::Choice::Light}) {
            KernelsBench bench;
            bench.theme.choose(choice);
            QVERIFY(bench.show());
            bench.selectRow(2);
            for (int i = 0; i < 7; ++i) {
                bench.panel->page()->form()->dtypes()->setCurrentIndex(i == 4 ? 3 : 0);
                QVERIFY(bench.rerun());
                if (i == 1) {
                    bench.panel->page()->toggleBaseline();
                }
            }
            const QString theme =
                choice == ThemeSource::Choice::Dark ? QStringLiteral("dark") : QStringLiteral("light");
            for (int tab = 0; tab < bench.panel->page()->tabs()->count(); ++tab) {
                bench.panel->page()->tabs()->setCurrentIndex(tab);
                const QImage picture = bench.pictureOf(*bench.panel);
                QVERIFY(picture.save(
                    test::artifactPath(QStringLiteral("kernels_%1_%2.png").arg(tab).arg(theme))));
                QVERIFY(!test::isBlank(picture));
            }
        }
    }
};

AOTSCOPE_WINDOW_TEST(tst_kernels_panel, TestKernelsPanel)
#include "tst_kernels_panel.moc"
