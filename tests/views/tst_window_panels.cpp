// One selection for the whole window: selecting in any panel changes all others.
#include "support/corpus.h"
#include "support/log_records.h"
#include "support/small_graphs.h"
#include "support/temp_folder.h"
#include "support/window_bench.h"
#include "support/window_test.h"

#include "common/code_view.h"
#include "common/empty_page.h"
#include "graph/graph_canvas.h"
#include "graph/graph_panel.h"
#include "memory/memory_canvas.h"
#include "memory/memory_panel.h"
#include "panels/compile_model.h"
#include "panels/compiles_panel.h"
#include "panels/inspector_panel.h"
#include "panels/problem_model.h"
#include "panels/problems_panel.h"
#include "panels/run_model.h"
#include "panels/run_panel.h"
#include "panels/text_panel.h"
#include "partition/saved_panel.h"
#include "window/go_to.h"
#include "window/graph_dock.h"
#include "window/job_status.h"
#include "window/keys_dialog.h"
#include "window/quick_pick.h"

#include <QAction>
#include <QApplication>
#include <QDockWidget>
#include <QHelpEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMap>
#include <QPushButton>
#include <QScreen>
#include <QShortcut>
#include <QStatusBar>
#include <QTabBar>
#include <QTextBrowser>
#include <QToolButton>
#include <QToolTip>
#include <QTreeView>

using namespace aotscope;
using namespace aotscope::views;

namespace {

/// The window with the sample log's joint graph laid out.
struct PanelsBench : test::WindowBench {
    PanelsBench() = default;

    [[nodiscard]] bool openSample() {
        return open(test::sampleLogPath()) &&
               QTest::qWaitFor([this] { return pictureShows("joint"); }, test::patience);
    }
    [[nodiscard]] bool pictureShows(const std::string& artifact) const {
        const session::LayoutSnapshotPtr shown = window->panel<GraphDock>()->panel()->shown();
        return shown && shown->graph->reference.artifact == artifact;
    }
    [[nodiscard]] const session::GraphSnapshot& graph() const { return *window->currentGraph()->graph(); }
    [[nodiscard]] GraphCanvas* canvas() const {
        return window->panel<GraphDock>()->findChild<GraphCanvas*>();
    }
    [[nodiscard]] CodeView* text() const { return window->panel<TextPanel>()->view(); }
    /// A node that has a box of its own in the picture; `from` counts along the program.
    [[nodiscard]] ir::NodeId visibleNode(std::size_t from) const {
        const auto order = graph().graph->order();
        for (std::size_t i = from; i < order.size(); ++i) {
            const BoxId box = canvas()->scene()->boxOf(order[i]);
            if (box.valid() && canvas()->scene()->box(box).node == order[i]) {
                return order[i];
            }
        }
        return {};
    }
    [[nodiscard]] std::string nameOf(ir::NodeId node) const { return graph().graph->node(node).name; }
    void clickRow(QTreeView* view, const QModelIndex& index) const {
        view->scrollTo(index);
        QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, view->visualRect(index).center());
    }
    void raise(const char* dock) const {
        window->dock(QLatin1String(dock))->show();
        window->dock(QLatin1String(dock))->raise();
        QCoreApplication::processEvents();
    }
};

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
            QSKIP("skipped: the shared corpus is not on this machine");
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

    void goToFindsANodeAndThePaletteRunsACommand() {
        PanelsBench bench;
        QVERIFY(bench.openSample());
        QuickPick* pick = bench.window->quickPick();
        const std::string wanted = bench.nameOf(bench.graph().graph->order().back());
        bench.window->parts().goTo->open(QStringLiteral("@") + QString::fromStdString(wanted));
        QTRY_VERIFY_WITH_TIMEOUT(pick->model()->rowCount() > 0, test::patience);
        pick->pickCurrent();
        QCOMPARE(bench.selectedNode(), wanted);
        for (const bool dark : {false, true}) {
            bench.window->parts().goTo->openCommandPalette();
            pick->input()->setText(dark ? QStringLiteral(">dark") : QStringLiteral(">light"));
            QTRY_VERIFY_WITH_TIMEOUT(pick->model()->rowCount() > 0, test::patience);
            pick->pickCurrent();
            QCOMPARE(bench.theme.theme().dark, dark);
        }
    }

    void theKeyboardBeginsInThePicture() {
        PanelsBench bench;
        QVERIFY(bench.openSample());
        QTRY_COMPARE_WITH_TIMEOUT(bench.window->focusWidget(), static_cast<QWidget*>(bench.canvas()),
                                  test::patience);
    }

    /// Asked for while the first picture is still being laid out.
    void aPanelAskedForKeepsTheKeyboard() {
        PanelsBench bench;
        CurrentGraph* graph = bench.window->currentGraph();
        connect(
            graph, &CurrentGraph::graphChanged, graph,
            [&] { bench.window->action(QStringLiteral("show-memory"))->trigger(); },
            Qt::SingleShotConnection);
        QVERIFY(bench.openSample());
        // The page that says what will be here has it until the profile comes.
        QTRY_COMPARE_WITH_TIMEOUT(bench.window->focusWidget(),
                                  static_cast<QWidget*>(bench.window->panel<MemoryPanel>()->canvas()),
                                  test::patience);
    }

    /// W, A, S and D mean the picture then, not the filter that had the keyboard before.
    void aClickedTabTakesTheKeyboard() {
        PanelsBench bench;
        QVERIFY(bench.openSample());
        bench.window->panel<CompilesPanel>()->view()->setFocus();
        bench.window->action(QStringLiteral("find"))->trigger();
        for (QTabBar* tabs : bench.window->findChildren<QTabBar*>()) {
            for (int tab = 0; tab < tabs->count(); ++tab) {
                if (tabs->tabText(tab) == QLatin1String("Memory")) {
                    QTest::mouseClick(tabs, Qt::LeftButton, {}, tabs->tabRect(tab).center());
                }
            }
        }
        QTRY_COMPARE_WITH_TIMEOUT(bench.window->focusWidget(),
                                  static_cast<QWidget*>(bench.window->panel<MemoryPanel>()->canvas()),
                                  test::patience);
    }

    void theKeyboardInATableChoosesNoNode() {
        PanelsBench bench;
        QVERIFY(bench.openSample());
        QVERIFY(bench.run());
        auto* table = bench.window->panel<RunPanel>()->view();
        QVERIFY(table->model()->rowCount() > 1);
        QFocusEvent taken(QEvent::FocusIn, Qt::TabFocusReason);
        QCoreApplication::sendEvent(table, &taken);
        QCOMPARE(bench.selectedNode(), std::string());
        QTest::keyClick(table, Qt::Key_Down);
        QVERIFY(!bench.selectedNode().empty());
    }

    void findLooksWhereTheKeyboardIs() {
        PanelsBench bench;
        QVERIFY(bench.openSample());
        // Where no window manager runs nobody else gives it the keyboard.
        bench.window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(bench.window.get(), test::patience));
        const auto press = [&](QWidget* widget) {
            widget->setFocus(Qt::OtherFocusReason);
            QTest::keyClick(widget, Qt::Key_F, Qt::ControlModifier);
            return bench.window->focusWidget();
        };
        const auto* search =
            bench.window->panel<GraphDock>()->findChild<QLineEdit*>(QStringLiteral("graphSearchInput"));
        QCOMPARE(press(bench.canvas()), search);
        const auto* inText = bench.window->panel<TextPanel>()->findChild<QLineEdit*>();
        QCOMPARE(press(bench.text()), inText);
        for (QWidget* panel : {static_cast<QWidget*>(bench.window->panel<CompilesPanel>()),
                               static_cast<QWidget*>(bench.window->panel<ProblemsPanel>()),
                               static_cast<QWidget*>(bench.window->panel<SavedPanel>())}) {
            const auto name = panel == bench.window->panel<ProblemsPanel>() ? "problems"
                              : panel == bench.window->panel<SavedPanel>()  ? "saved"
                                                                            : "compiles";
            bench.raise(name);
            QCOMPARE(press(panel->findChild<QTreeView*>()),
                     panel->findChild<QLineEdit*>(QStringLiteral("panelFilter")));
        }
        // Where nothing can be found, in the picture.
        bench.raise("run");
        QCOMPARE(press(bench.window->panel<RunPanel>()->findChild<QPushButton*>()), search);
    }

    void noTwoCommandsHaveOneKey() {
        PanelsBench bench;
        QVERIFY(bench.openSample());
        QMap<QString, QStringList> commands;
        for (const QAction* action : bench.window->findChildren<QAction*>()) {
            for (const QKeySequence& key : action->shortcuts()) {
                if (action->shortcutContext() == Qt::WindowShortcut) {
                    commands[key.toString()].append(action->text());
                }
            }
        }
        QVERIFY(commands.size() > 30);
        for (auto key = commands.begin(); key != commands.end(); ++key) {
            QVERIFY2(key->size() == 1, qPrintable(key.key() + QStringLiteral(": ") + key->join(u", ")));
        }
        for (const QShortcut* shortcut : bench.window->findChildren<QShortcut*>()) {
            QVERIFY2(!commands.contains(shortcut->key().toString()), qPrintable(shortcut->key().toString()));
        }
    }

    void everyCommandIsOnThePageOfKeys() {
        test::WindowBench bench;
        std::vector<QAction*> actions;
        for (const char* name : {"open", "goBack", "palette", "retrace", "why", "keys"}) {
            actions.push_back(bench.window->action(QLatin1String(name)));
        }
        const QString page = keysHtml(actions, bench.theme);
        for (const QAction* action : actions) {
            QVERIFY(page.contains(action->shortcut().toString(QKeySequence::NativeText).toHtmlEscaped()));
            QVERIFY(page.contains(action->statusTip().toHtmlEscaped()));
        }
        for (const char* menu : {"File", "Go", "Run", "Step", "Help"}) {
            QVERIFY(page.contains(QStringLiteral("<h4>%1</h4>").arg(QLatin1String(menu))));
        }
    }

private:
    test::OwnSettings m_settings;
};

AOTSCOPE_WINDOW_TEST(tst_window_panels, WindowPanelsTest)
#include "tst_window_panels.moc"
