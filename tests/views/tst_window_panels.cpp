// One selection for the whole window: selecting in any panel changes all others.
#include "panels_bench.h"
#include "support/corpus.h"
#include "support/log_records.h"
#include "support/small_graphs.h"
#include "support/temp_folder.h"
#include "support/window_test.h"

#include "common/empty_page.h"
#include "panels/compile_model.h"
#include "panels/compiles_panel.h"
#include "panels/inspector_panel.h"
#include "panels/problem_model.h"
#include "panels/problems_panel.h"
#include "panels/run_model.h"
#include "panels/run_panel.h"
#include "panels/text_panel.h"
#include "window/graph_dock.h"
#include "window/job_status.h"

#include <QHelpEvent>
#include <QLabel>
#include <QStatusBar>
#include <QTabBar>
#include <QTextBrowser>
#include <QToolTip>
#include <QTreeView>

using namespace aotscope;
using namespace aotscope::views;

namespace {

/// Checks that every panel with nodes shows this one.
void expectEverywhere(const PanelsBench& bench, ir::NodeId node) {
    const std::string name = bench.nameOf(node);
    QCOMPARE(bench.selectedNode(), name);
    QCOMPARE(bench.text()->currentLine(), bench.graph().printed.lineOfNode[node.index()]);
    QVERIFY(
        bench.window->panel<InspectorPanel>()->view()->toPlainText().contains(QString::fromStdString(name)));
    QCOMPARE(bench.canvas()->current(), bench.canvas()->scene()->boxOf(node));
    QVERIFY(bench.window->windowTitle().contains(QString::fromStdString(name)));
    const RunPanel* run = bench.window->panel<RunPanel>();
    if (run->model()->run()) {
        QCOMPARE(run->view()->currentIndex().row(), run->model()->rowOf(node));
    }
}

} // namespace

class WindowPanelsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::OwnSettings::clear(); }

    /// The status bar grew for the button that cancels, and the docks were a little higher after each job.
    void progressComesAndGoesInItsPlace() {
        PanelsBench bench;
        QVERIFY(bench.openSample());
        const JobStatus* status = bench.window->parts().jobs;
        QTRY_VERIFY_WITH_TIMEOUT(!status->busy() && !status->progressShown(), test::patience);
        bench.raise("run");
        const auto heights = [&] {
            QCoreApplication::processEvents();
            return std::vector<int>{bench.window->statusBar()->height(),
                                    bench.window->dock(QStringLiteral("text"))->height(),
                                    bench.window->dock(QStringLiteral("run"))->height()};
        };
        const std::vector<int> before = heights();
        bench.backend->gated = true;
        bench.window->action(QStringLiteral("run"))->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(status->progressShown(), test::patience);
        QVERIFY(status->cancelButton()->isVisible());
        QCOMPARE(heights(), before);
        bench.backend->openGate();
        QTRY_VERIFY_WITH_TIMEOUT(!status->busy(), test::patience);
        QVERIFY(!status->cancelButton()->isVisible());
        QCOMPARE(heights(), before);
    }

    /// The first lines of PyTorch's texts only lead up to it. A compile that restarted with the break is no
    /// second row, which would say the same.
    void aGraphBreakSaysWhatHappenedAndWhere() {
        if (test::corpusMissing()) {
            QSKIP("The corpus is not on this machine.");
        }
        test::WindowBench bench;
        QVERIFY(bench.open(test::corpusTrace("gpt2_2l").string()));
        const ProblemModel* problems = bench.window->panel<ProblemsPanel>()->model();
        int breaks = 0;
        for (int row = 0; row < problems->rowCount(); ++row) {
            const Problem& problem = *problems->problemAt(row);
            QVERIFY(problem.what != QLatin1String("restarted"));
            if (problem.what == QLatin1String("graph break")) {
                QCOMPARE(problem.message,
                         QStringLiteral("logging.Logger method not supported for non-export cases  "
                                        "(modeling_utils.py:4769), so the compile restarted"));
                ++breaks;
            }
        }
        QCOMPARE(breaks, 4);
    }

    /// At the width the window opens with: 28 characters of function and file, whole, also where artifacts
    /// with longer names than any id are unfolded below.
    void whatWasCompiledIsReadAtTheWidthItOpensWith() {
        if (test::corpusMissing()) {
            QSKIP("The corpus is not on this machine.");
        }
        test::WindowBench bench;
        QVERIFY(bench.open(test::corpusTrace("gpt2_2l").string()));
        const CompilesPanel* panel = bench.window->panel<CompilesPanel>();
        const QTreeView* view = panel->view();
        const auto room = [view](const QModelIndex& index) { return view->visualRect(index).width(); };
        const QModelIndex log = panel->model()->index(0, 0);
        const auto expectWhole = [&] {
            for (int row = 0; row < panel->model()->rowCount(log); ++row) {
                const QModelIndex what = panel->model()->index(row, CompileModel::What, log);
                const QString words = what.data().toString();
                constexpr qsizetype promised = 28;
                const int wanted = view->fontMetrics().horizontalAdvance(words.left(promised));
                QVERIFY2(room(what) >= wanted, qPrintable(words));
            }
        };
        expectWhole();
        const_cast<QTreeView*>(view)->expand(panel->model()->index(0, 0, log));
        expectWhole();
        // An artifact's name has the room of both columns.
        QVERIFY(room(panel->model()->index(0, CompileModel::Id, log)) < 120);
    }

    void steppingThroughStagesThatAreNotThereSaysHowToGetThem() {
        PanelsBench bench;
        QVERIFY(bench.openSample());
        bench.window->action(QStringLiteral("nextStage"))->trigger();
        QVERIFY(bench.window->statusBar()->currentMessage().contains(QLatin1String("stages")));
    }

    void aNewWindowFitsTheScreen() {
        test::WindowBench bench;
        const MainWindow fresh(&bench.engine, &bench.theme);
        const QSize room = fresh.screen()->availableSize();
        QVERIFY(fresh.width() <= room.width() && fresh.height() < room.height());
    }

    void aNodePickedInTheTextIsFollowedEverywhereAndBackReturns() {
        PanelsBench bench;
        QVERIFY(bench.openSample());
        const ir::NodeId node = bench.visibleNode(bench.graph().graph->size() / 2);
        Q_EMIT bench.text()->lineChosen(bench.graph().printed.lineOfNode[node.index()]);
        QCOMPARE(bench.selectedNode(), bench.nameOf(node));
        QCOMPARE(bench.canvas()->current(), bench.canvas()->scene()->boxOf(node));
        const ir::NodeId input = bench.graph().graph->inputs(node).front();
        bench.window->panel<InspectorPanel>()->followLink(
            QUrl(QStringLiteral("node:") + QString::fromStdString(bench.nameOf(input))));
        expectEverywhere(bench, input);
        bench.window->action(QStringLiteral("goBack"))->trigger();
        expectEverywhere(bench, node);
        bench.window->action(QStringLiteral("goForward"))->trigger();
        expectEverywhere(bench, input);
    }

    void aNodePickedInThePictureIsFollowedEverywhere() {
        PanelsBench bench;
        QVERIFY(bench.openSample());
        const ir::NodeId node = bench.visibleNode(bench.graph().graph->size() / 2);
        const BoxId box = bench.canvas()->scene()->boxOf(node);
        bench.canvas()->centerOn(box);
        const QRectF rect = bench.canvas()->toPixel(bench.canvas()->scene()->rect(box));
        QTest::mouseClick(bench.canvas(), Qt::LeftButton, {}, rect.center().toPoint());
        expectEverywhere(bench, node);
    }

    void aRowPickedInTheRunIsFollowedEverywhereAndFollows() {
        PanelsBench bench;
        QVERIFY(bench.openSample());
        QVERIFY(bench.run());
        const ir::NodeId node = bench.visibleNode(bench.graph().graph->size() / 2);
        const RunPanel* run = bench.window->panel<RunPanel>();
        QCOMPARE(std::size_t(run->model()->rowCount()), bench.graph().graph->size());
        bench.clickRow(run->view(), run->model()->index(run->model()->rowOf(node), RunModel::Node));
        expectEverywhere(bench, node);
        const ir::NodeId other = bench.visibleNode(0);
        Q_EMIT bench.text()->lineChosen(bench.graph().printed.lineOfNode[other.index()]);
        expectEverywhere(bench, other);
    }

    void aProblemLeadsToItsNodeEverywhere() {
        PanelsBench bench;
        std::atomic<std::uint32_t> wrong = 0;
        bench.backend->onRun = [&](const ir::Graph& graph, const session::RunOptions& options,
                                   base::Progress&) -> base::Result<session::RunSnapshot> {
            session::RunSnapshot run = test::FakeBackend::everyNodeRan(graph, options);
            run.nodes[wrong].mismatch = "logged f32[2], computed f32[3]";
            return run;
        };
        QVERIFY(bench.openSample());
        const ir::NodeId node = bench.visibleNode(bench.graph().graph->size() / 2);
        const auto order = bench.graph().graph->order();
        wrong = static_cast<std::uint32_t>(std::find(order.begin(), order.end(), node) - order.begin());
        QVERIFY(bench.run());
        ProblemModel* model = bench.window->panel<ProblemsPanel>()->model();
        QCOMPARE(model->rowCount(), 1);
        QVERIFY(model->index(0, ProblemModel::Message).data().toString().contains(QLatin1String("f32[3]")));
        bench.raise("problems");
        bench.clickRow(bench.window->panel<ProblemsPanel>()->view(), model->index(0, ProblemModel::Message));
        expectEverywhere(bench, node);
    }

    void anArtifactPickedInTheCompilesIsShownEverywhere() {
        PanelsBench bench;
        QVERIFY(bench.openSample());
        const CompilesPanel* panel = bench.window->panel<CompilesPanel>();
        const QModelIndex compile = panel->model()->index(0, 0, panel->model()->index(0, 0));
        panel->view()->expand(compile);
        const QModelIndex backward = panel->model()->indexOf(bench.sibling("backward"), true);
        QVERIFY(backward.isValid());
        bench.clickRow(panel->view(), backward);
        QCOMPARE(bench.window->selection()->current()->artifact, bench.sibling("backward"));
        QTRY_VERIFY_WITH_TIMEOUT(bench.window->currentGraph()->graph(), test::patience);
        QCOMPARE(bench.text()->text().toStdString(), bench.graph().printed.text);
        QTRY_VERIFY_WITH_TIMEOUT(bench.pictureShows("backward"), test::patience);
        const QTabBar* kinds = bench.window->panel<GraphDock>()->kinds();
        QVERIFY(
            kinds->tabText(kinds->currentIndex()).contains(QLatin1String("backward"), Qt::CaseInsensitive));
        QVERIFY(bench.window->panel<InspectorPanel>()->view()->toPlainText().contains(
            QLatin1String("backward"), Qt::CaseInsensitive));
        bench.window->action(QStringLiteral("goBack"))->trigger();
        QCOMPARE(panel->view()->currentIndex().siblingAtColumn(0),
                 panel->model()->indexOf(bench.sibling("joint"), true).siblingAtColumn(0));
    }

    void theTextShowsWhatWasLoggedAndKeepsTheNode() {
        PanelsBench bench;
        QVERIFY(bench.openSample());
        const ir::NodeId node = bench.visibleNode(bench.graph().graph->size() / 2);
        bench.window->currentGraph()->selectNode(node);
        bench.window->panel<TextPanel>()->showLogged(true);
        QCOMPARE(bench.text()->text().toStdString(), bench.graph().text);
        const QString begins = QString::fromStdString(bench.nameOf(node)) + QLatin1Char(':');
        QVERIFY(bench.text()->line(bench.text()->currentLine()).trimmed().startsWith(begins));
        const ir::NodeId user = bench.graph().graph->users(node).front();
        bench.window->currentGraph()->selectNode(user);
        const int line = bench.text()->currentLine();
        bench.window->currentGraph()->selectNode(node);
        Q_EMIT bench.text()->lineChosen(line);
        QCOMPARE(bench.selectedNode(), bench.nameOf(user));
        bench.window->panel<TextPanel>()->showLogged(false);
        expectEverywhere(bench, user);
    }

    void aGraphThatCannotBeReadIsShownAsTextWithAMark() {
        const test::TempFolder folder;
        std::string broken = test::smallGraphText();
        broken.insert(broken.find("torch.ops.aten.relu"), "= ");
        const auto path =
            folder.write("broken.log", test::payloadRecord("\"aot_joint_graph\": {}", 0, broken));
        PanelsBench bench;
        QVERIFY(bench.open(path.string()));
        QVERIFY(bench.graph().error.has_value());
        QVERIFY(!bench.graph().graph);
        QVERIFY(bench.text()->text().contains(QLatin1String("= torch.ops.aten.relu")));
        bool said = false;
        for (const QLabel* label : bench.window->panel<TextPanel>()->findChildren<QLabel*>()) {
            said = said || label->text().contains(QLatin1String("could not be parsed"));
        }
        QVERIFY(said);
        // The mark: its message is the tool tip of the line.
        const auto wrong = static_cast<int>(bench.graph().error->place.line) - 1;
        QVERIFY(bench.text()->line(wrong).contains(QLatin1String("relu")));
        QWidget* viewport = bench.text()->viewport();
        QString tip;
        for (int y = 0; y < viewport->height() && tip.isEmpty(); y += 4) {
            QHelpEvent help(QEvent::ToolTip, QPoint(20, y), viewport->mapToGlobal(QPoint(20, y)));
            QCoreApplication::sendEvent(viewport, &help);
            tip = QToolTip::text();
        }
        QCOMPARE(tip, QString::fromStdString(bench.graph().error->text()));
        const ProblemModel* problems = bench.window->panel<ProblemsPanel>()->model();
        const auto* page = bench.window->panel<GraphDock>()->findChild<EmptyPage*>();
        QTRY_VERIFY_WITH_TIMEOUT(page->message().contains(QLatin1String("No picture")), test::patience);
        QTRY_VERIFY_WITH_TIMEOUT(!bench.window->parts().jobs->busy(), test::patience);
        QTRY_VERIFY_WITH_TIMEOUT(problems->rowCount() > 0, test::patience);
        // Once, as what it is: the picture that cannot be made is no failure of its own.
        QStringList listed;
        for (int row = 0; row < problems->rowCount(); ++row) {
            listed +=
                problems->problemAt(row)->what + QLatin1String(": ") + problems->problemAt(row)->message;
        }
        QVERIFY2(listed.size() == 1 && listed.front().startsWith(QLatin1String("unreadable graph")),
                 qPrintable(listed.join(QLatin1Char('\n'))));
        QVERIFY(!bench.window->action(QStringLiteral("run"))->isEnabled());
    }

private:
    test::OwnSettings m_settings;
};

AOTSCOPE_WINDOW_TEST(tst_window_panels, WindowPanelsTest)
#include "tst_window_panels.moc"
