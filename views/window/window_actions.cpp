// Menus and actions of MainWindow.
#include "window/main_window.h"

#include "common/code_view.h"
#include "common/current_graph.h"
#include "common/engine_client.h"
#include "common/format.h"
#include "common/log_list.h"
#include "common/panel_layout.h"
#include "common/plain_words.h"
#include "common/selection_hub.h"
#include "common/theme.h"
#include "graph/graph_panel.h"
#include "panels/compiles_panel.h"
#include "panels/inspector_panel.h"
#include "panels/run_panel.h"
#include "panels/text_panel.h"
#include "retrace/retrace_panel.h"
#include "step/current_step.h"
#include "step/saved_panel.h"
#include "step/why_bar.h"
#include "window/dock_content.h"
#include "window/graph_dock.h"
#include "window/job_status.h"
#include "window/keys_dialog.h"
#include "window/log_follower.h"
#include "window/quick_pick.h"
#include "window/recent_files.h"

#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QDockWidget>
#include <QFileInfo>
#include <QLineEdit>
#include <QMenuBar>
#include <QMessageBox>
#include <QSettings>

namespace aotscope::views {

namespace {

/// Ctrl+1 to Ctrl+9, Ctrl+0, then the same with Alt.
QKeySequence dockKey(int number) {
    const auto digit = static_cast<Qt::Key>(Qt::Key_0 + number % 10);
    return number <= 10 ? QKeySequence(Qt::CTRL | digit) : QKeySequence(Qt::CTRL | Qt::ALT | digit);
}

} // namespace

QAction* MainWindow::addAction(QMenu* menu, const QString& name, const QString& title, const QString& tip,
                               const QList<QKeySequence>& keys, std::function<void()> run) {
    QAction* action = menu->addAction(title);
    action->setObjectName(name);
    action->setShortcuts(keys);
    const QString key = keys.isEmpty() ? QString() : keys.first().toString(QKeySequence::NativeText);
    action->setToolTip(key.isEmpty() ? tip : tip + QStringLiteral(" (") + key + QLatin1Char(')'));
    action->setStatusTip(tip);
    connect(action, &QAction::triggered, this, [run = std::move(run)] { run(); });
    m_actions.push_back(action);
    menu->setToolTipsVisible(true);
    // Keys work while the menu is closed and wherever the focus is.
    QWidget::addAction(action);
    return action;
}

QAction* MainWindow::action(const QString& name) const {
    const auto found = std::find_if(m_actions.begin(), m_actions.end(),
                                    [&](const QAction* action) { return action->objectName() == name; });
    return found == m_actions.end() ? nullptr : *found;
}

void MainWindow::makeActions() {
    makeFileMenu();
    makeViewMenu();
    makeGoMenu();
    makeRunMenu();
    makeStepMenu();
    makeHelpMenu();
}

void MainWindow::makeFileMenu() {
    QMenu* menu = menuBar()->addMenu(tr("&File"));
    addAction(menu, QStringLiteral("open"), tr("&Open…"), tr("Open trace logs or graph files"),
              {QKeySequence::Open}, [this] { openFileDialog(); });
    addAction(menu, QStringLiteral("openFolder"), tr("Open &folder…"),
              tr("Open a folder with one log per rank"), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_O)},
              [this] { openFolderDialog(); });
    m_recentMenu = menu->addMenu(tr("Open &recent"));
    m_recentMenu->setObjectName(QStringLiteral("recentMenu"));
    fillRecentMenu();
    QAction* follow = addAction(menu, QStringLiteral("follow"), tr("Follow &growing logs"),
                                tr("Read on when an open log is still being written"),
                                {QKeySequence(Qt::CTRL | Qt::Key_L)}, [] {});
    follow->setCheckable(true);
    connect(follow, &QAction::toggled, m_follower.get(), &LogFollower::setEnabled);
    follow->setChecked(QSettings().value(QStringLiteral("window/follow"), true).toBool());
    menu->addSeparator();
    addAction(menu, QStringLiteral("export"), tr("&Export…"),
              tr("Write the graph, or the selection and its neighbours, as SVG, PNG, DOT, JSON or text"),
              {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_E)}, [this] { exportDialog(); });
    menu->addSeparator();
    addAction(menu, QStringLiteral("closeLog"), tr("&Close log"), tr("Close the log of the selection"),
              {QKeySequence(Qt::CTRL | Qt::Key_W)}, [this] {
                  if (m_selection->current()) {
                      m_engine->send(session::CloseLog{m_selection->current()->artifact.log});
                  }
              });
    addAction(menu, QStringLiteral("quit"), tr("&Quit"), tr("Close the window"),
              {QKeySequence(Qt::CTRL | Qt::Key_Q)}, [this] { close(); });
}

void MainWindow::fillRecentMenu() {
    m_recentMenu->clear();
    for (const QString& path : m_recent->paths()) {
        // Traces of many runs have one name; the folder stands where other menus have their keys.
        const QFileInfo file(path);
        const QString title = file.fileName() + QLatin1Char('\t') + file.path();
        QAction* entry =
            m_recentMenu->addAction(QString(title).replace(QLatin1Char('&'), QLatin1String("&&")), this,
                                    [this, path] { openPaths({path}); });
        entry->setToolTip(plainToolTip(path));
    }
    m_recentMenu->setToolTipsVisible(true);
    m_recentMenu->setEnabled(!m_recent->paths().isEmpty());
    if (!m_recent->paths().isEmpty()) {
        m_recentMenu->addSeparator();
        m_recentMenu->addAction(tr("Forget these"), m_recent.get(), &RecentFiles::clear);
    }
}

void MainWindow::makeViewMenu() {
    QMenu* menu = menuBar()->addMenu(tr("&View"));
    int number = 1;
    for (QDockWidget* widget : m_docks) {
        addAction(menu, QStringLiteral("show-") + widget->objectName(), widget->windowTitle(),
                  tr("Show %1 and put the keyboard there").arg(widget->windowTitle()), {dockKey(number++)},
                  [this, name = widget->objectName()] { focusDock(name); });
    }
    menu->addSeparator();
    addAction(menu, QStringLiteral("openGroups"), tr("&Open all groups"),
              tr("Open every group of the graph that is shown"),
              {QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_O)},
              [this] { m_graphDock->panel()->openAllGroups(true); });
    addAction(menu, QStringLiteral("closeGroups"), tr("Close all &groups"),
              tr("Close every group of the graph that is shown"),
              {QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_C)},
              [this] { m_graphDock->panel()->openAllGroups(false); });
    menu->addSeparator();
    addAction(menu, QStringLiteral("nextPanel"), tr("Ne&xt panel"),
              tr("Put the keyboard into the next panel in sight"), {QKeySequence(Qt::Key_F6)},
              [this] { stepPanel(1); });
    addAction(menu, QStringLiteral("previousPanel"), tr("Pre&vious panel"),
              tr("Put the keyboard into the panel before"), {QKeySequence(Qt::SHIFT | Qt::Key_F6)},
              [this] { stepPanel(-1); });
    addAction(menu, QStringLiteral("closePanel"), tr("&Close the panel"),
              tr("Close the panel that has the keyboard; its key brings it back"),
              {QKeySequence(Qt::CTRL | Qt::Key_F4)}, [this] { closePanel(); });
    addAction(menu, QStringLiteral("floatPanel"), tr("&Float the panel"),
              tr("Take the panel that has the keyboard out of the window, or put it back"),
              {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_F4)}, [this] { floatPanel(); });
    QMenu* shown = menu->addMenu(tr("&Panels shown"));
    for (QDockWidget* widget : m_docks) {
        shown->addAction(widget->toggleViewAction());
    }
    addAction(menu, QStringLiteral("resetLayout"), tr("&Reset layout"),
              tr("Put all panels back where they were at first"),
              {QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_0)}, [this] { resetLayout(); });
    QMenu* themes = menu->addMenu(tr("&Theme"));
    auto* group = new QActionGroup(this);
    struct ThemeChoice {
        const char* title;
        ThemeSource::Choice choice;
        Qt::Key key;
    };
    static constexpr ThemeChoice choices[] = {{"System", ThemeSource::Choice::System, Qt::Key_7},
                                              {"Light", ThemeSource::Choice::Light, Qt::Key_8},
                                              {"Dark", ThemeSource::Choice::Dark, Qt::Key_9}};
    for (const auto& [title, choice, key] : choices) {
        QAction* entry = addAction(
            themes, QStringLiteral("theme") + QLatin1String(title), QLatin1String(title),
            tr("Colours of the window: %1").arg(QLatin1String(title).toString().toLower()),
            {QKeySequence(Qt::CTRL | Qt::ALT | key)}, [this, choice = choice] { m_theme->choose(choice); });
        entry->setCheckable(true);
        entry->setChecked(m_theme->choice() == choice);
        group->addAction(entry);
    }
    addAction(menu, QStringLiteral("fullScreen"), tr("&Full screen"), tr("Fill the screen"),
              {QKeySequence(Qt::Key_F11)}, [this] { setWindowState(windowState() ^ Qt::WindowFullScreen); });
}

void MainWindow::makeGoMenu() {
    QMenu* menu = menuBar()->addMenu(tr("&Go"));
    addAction(menu, QStringLiteral("goBack"), tr("&Back"), tr("Back to what was selected before"),
              {QKeySequence(Qt::ALT | Qt::Key_Left)}, [this] { m_selection->goBack(); });
    addAction(menu, QStringLiteral("goForward"), tr("&Forward"), tr("Forward again"),
              {QKeySequence(Qt::ALT | Qt::Key_Right)}, [this] { m_selection->goForward(); });
    menu->addSeparator();
    addAction(menu, QStringLiteral("goTo"), tr("&Go to anything…"),
              tr("Go to a compile, graph, node (@) or source line (#) by parts of its name"),
              {QKeySequence(Qt::CTRL | Qt::Key_P)}, [this] { openGoTo(); });
    addAction(menu, QStringLiteral("palette"), tr("&Commands…"), tr("Every command by name"),
              {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_P)}, [this] { openCommandPalette(); });
    addAction(menu, QStringLiteral("find"), tr("F&ind"),
              tr("Find in the panel that has the keyboard, else in the graph"), {QKeySequence::Find},
              [this] { findInFocus(); });
    menu->addSeparator();
    addAction(menu, QStringLiteral("nextCompile"), tr("&Next compile"), tr("Select the next compile"),
              {QKeySequence(Qt::CTRL | Qt::Key_PageDown)}, [this] { stepCompile(1); });
    addAction(menu, QStringLiteral("previousCompile"), tr("&Previous compile"),
              tr("Select the previous compile"), {QKeySequence(Qt::CTRL | Qt::Key_PageUp)},
              [this] { stepCompile(-1); });
    addAction(menu, QStringLiteral("nextGraph"), tr("Next &graph of the compile"),
              tr("Dynamo, joint, forward, backward in turn"), {QKeySequence(Qt::ALT | Qt::Key_Down)},
              [this] { m_graphDock->stepKind(1); });
    addAction(menu, QStringLiteral("previousGraph"), tr("Previous g&raph of the compile"),
              tr("The other way round"), {QKeySequence(Qt::ALT | Qt::Key_Up)},
              [this] { m_graphDock->stepKind(-1); });
}

void MainWindow::makeRunMenu() {
    QMenu* menu = menuBar()->addMenu(tr("&Run"));
    addAction(menu, QStringLiteral("run"), tr("&Run the graph"),
              tr("Run the shown graph node by node on made-up inputs"), {QKeySequence(Qt::Key_F5)}, [this] {
                  if (m_retracePanel->paused()) {
                      m_retracePanel->answer(session::PauseAnswer::Kind::Resume);
                      return;
                  }
                  focusDock(QStringLiteral("run"));
                  m_runPanel->run();
              });
    addAction(menu, QStringLiteral("cancel"), tr("&Cancel"),
              tr("Stop what the engine is doing and what is being written"),
              {QKeySequence(Qt::SHIFT | Qt::Key_F5)}, [this] { m_jobStatus->cancelAll(); });
    addAction(menu, QStringLiteral("retrace"), tr("R&e-trace the compile"),
              tr("Compile the selected compile's Dynamo graph again, without Python"),
              {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_R)}, [this] {
                  focusDock(QStringLiteral("retrace"));
                  m_retracePanel->retraceCompile();
              });
    addAction(menu, QStringLiteral("retraceLog"), tr("Re-trace the lo&g"),
              tr("Compile every Dynamo graph of the selected log again"),
              {QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_L)}, [this] {
                  focusDock(QStringLiteral("retrace"));
                  m_retracePanel->retraceLog();
              });
    addAction(menu, QStringLiteral("saveRetraced"), tr("Save &what was traced…"),
              tr("Write the graphs and metadata of what was traced again, and a report, into a folder"),
              {QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_G)}, [this] { m_retracePanel->saveDialog(); });
    addAction(menu, QStringLiteral("toggleBreakpoint"), tr("Pause re-trace at the &line"),
              tr("Pause re-traces at the current line of the Text panel, or no more"),
              {QKeySequence(Qt::Key_F9)}, [this] { m_textPanel->toggleBreakpoint(); });
    addAction(menu, QStringLiteral("stepOperator"), tr("&Step to the next node"),
              tr("To the next node a paused trace records; begins a re-trace that is paused at its start"),
              {QKeySequence(Qt::Key_F10)}, [this] {
                  if (m_retracePanel->paused()) {
                      m_retracePanel->answer(session::PauseAnswer::Kind::StepOperator);
                      return;
                  }
                  focusDock(QStringLiteral("retrace"));
                  m_retracePanel->stepCompile();
              });
    addAction(menu, QStringLiteral("stepProgramNode"), tr("Step &over to Dynamo's next node"),
              tr("To the first node of the next node of Dynamo's graph"), {QKeySequence(Qt::Key_F8)},
              [this] { m_retracePanel->answer(session::PauseAnswer::Kind::StepProgramNode); });
    addAction(menu, QStringLiteral("stepLine"), tr("Step to the next source l&ine"),
              tr("To the first node of another source line"), {QKeySequence(Qt::SHIFT | Qt::Key_F8)},
              [this] { m_retracePanel->answer(session::PauseAnswer::Kind::StepLine); });
    addAction(menu, QStringLiteral("nextStage"), tr("Ne&xt stage of the trace"),
              tr("To the next stage of the re-trace that changed something"), {QKeySequence(Qt::Key_F7)},
              [this] { stepStage(1); });
    addAction(menu, QStringLiteral("previousStage"), tr("Pre&vious stage of the trace"),
              tr("To the stage before that changed something"), {QKeySequence(Qt::SHIFT | Qt::Key_F7)},
              [this] { stepStage(-1); });
    menu->addSeparator();
    addAction(menu, QStringLiteral("compare"), tr("C&ompare with…"),
              tr("Compare the shown graph with another"), {QKeySequence(Qt::CTRL | Qt::Key_D)},
              [this] { askForComparison(); });
}

void MainWindow::makeStepMenu() {
    QMenu* menu = menuBar()->addMenu(tr("&Step"));
    const auto key = [](auto keys) { return QList<QKeySequence>{QKeySequence(keys)}; };
    addAction(menu, QStringLiteral("why"), tr("&Why saved?"),
              tr("Show why the selected node is saved, computed again or neither"),
              key(Qt::CTRL | Qt::SHIFT | Qt::Key_W), [this] { showWhy(); });
    menu->addSeparator();
    addAction(menu, QStringLiteral("forceSave"), tr("Force &save"),
              tr("Have what the Inspector's field names saved for the backward, and split again"),
              key(Qt::CTRL | Qt::ALT | Qt::Key_S), [this] { m_inspectorPanel->whyBar()->forceSave(); });
    addAction(menu, QStringLiteral("forceRecompute"), tr("Force &recompute"),
              tr("Have what the Inspector's field names computed again in the backward, and split again"),
              key(Qt::CTRL | Qt::ALT | Qt::Key_R), [this] { m_inspectorPanel->whyBar()->forceRecompute(); });
    addAction(menu, QStringLiteral("releaseChoice"), tr("&Undo the choice for it"),
              tr("Take the choices for what the Inspector's field names back"),
              key(Qt::CTRL | Qt::ALT | Qt::Key_U), [this] { m_inspectorPanel->whyBar()->release(); });
    menu->addSeparator();
    addAction(menu, QStringLiteral("undoChoice"), tr("Undo the &last choice"),
              tr("Take back what was chosen last: a node, a module or a budget"), key(Qt::CTRL | Qt::Key_Z),
              [this] { m_step->undo(); });
    addAction(menu, QStringLiteral("undoChoices"), tr("Undo &all choices"),
              tr("Take back the choices for all nodes"), key(Qt::CTRL | Qt::SHIFT | Qt::Key_Z),
              [this] { m_step->releaseAll(); });
    menu->addSeparator();
    addAction(menu, QStringLiteral("exportSaved"), tr("&Export saved tensors…"),
              tr("Write the rows of the Saved panel as CSV"), key(Qt::CTRL | Qt::SHIFT | Qt::Key_S),
              [this] { m_savedPanel->exportDialog(SavedPanel::Rows::Saved); });
    addAction(menu, QStringLiteral("exportRecomputed"), tr("Export &recomputed values…"),
              tr("Write what the backward computes again as CSV, with its cost and the rule"),
              key(Qt::CTRL | Qt::ALT | Qt::Key_E),
              [this] { m_savedPanel->exportDialog(SavedPanel::Rows::Recomputed); });
}

void MainWindow::makeHelpMenu() {
    QMenu* menu = menuBar()->addMenu(tr("&Help"));
    addAction(menu, QStringLiteral("keys"), tr("&Keys"), tr("All commands and their keys"),
              {QKeySequence(Qt::Key_F1), QKeySequence(Qt::SHIFT | Qt::Key_Question)},
              [this] { showKeys(m_actions, *m_theme, this); });
    addAction(menu, QStringLiteral("about"), tr("&About"), tr("Version of this program"),
              {QKeySequence(Qt::CTRL | Qt::Key_F1)}, [this] {
                  QMessageBox::about(this, tr("About aotscope"),
                                     tr("<b>aotscope %1</b><br>Shows what PyTorch's compiler did.")
                                         .arg(QApplication::applicationVersion()));
              });
}

void MainWindow::updateActions() {
    const auto enable = [this](const char* name, bool enabled) {
        if (QAction* found = action(QString::fromLatin1(name))) {
            found->setEnabled(enabled);
        }
    };
    const bool graph = m_graph->graph() && m_graph->graph()->graph;
    enable("goBack", m_selection->canGoBack());
    enable("goForward", m_selection->canGoForward());
    enable("closeLog", m_selection->current().has_value());
    enable("export", m_graph->graph() != nullptr);
    const bool paused = m_retracePanel->paused();
    enable("run", graph || paused);
    enable("stepProgramNode", paused);
    enable("stepLine", paused);
    enable("stepOperator", m_selection->current().has_value() && (paused || !m_retracePanel->running()));
    enable("toggleBreakpoint", graph);
    if (QAction* run = action(QStringLiteral("run"))) {
        run->setText(paused ? tr("&Resume the trace") : tr("&Run the graph"));
        run->setStatusTip(paused ? tr("Go on to the next breakpoint of the paused trace")
                                 : tr("Run the shown graph node by node on made-up inputs"));
        run->setToolTip(run->statusTip() + QStringLiteral(" (F5)"));
    }
    enable("compare", graph);
    enable("cancel", m_jobStatus->busy());
    enable("why", graph && m_graph->node().valid() && m_step->concerns(m_graph->graph()->reference));
    for (const char* name :
         {"forceSave", "forceRecompute", "releaseChoice", "exportSaved", "exportRecomputed"}) {
        enable(name, m_step->step() != nullptr);
    }
    enable("undoChoice", m_step->canUndo());
    enable("undoChoices", !m_step->choices().nodes.empty());
    for (const char* name : {"nextCompile", "previousCompile", "nextGraph", "previousGraph", "goTo"}) {
        enable(name, !m_logs->logs().empty());
    }
}

void MainWindow::findInFocus() {
    for (QWidget* widget = focusWidget(); widget; widget = widget->parentWidget()) {
        if (auto* code = qobject_cast<CodeView*>(widget)) {
            Q_EMIT code->findRequested();
            return;
        }
        auto* const dock = qobject_cast<DockContent*>(widget);
        if (auto* filter = dock ? dock->findChild<QLineEdit*>(filterFieldName()) : nullptr) {
            filter->setFocus(Qt::ShortcutFocusReason);
            filter->selectAll();
            return;
        }
    }
    m_graphDock->panel()->focusSearch();
}

void MainWindow::stepCompile(int step) {
    const std::optional<session::Selection>& current = m_selection->current();
    const std::optional<load::CompileIndex> index =
        current ? m_logs->tryIndex(current->artifact) : std::nullopt;
    if (!index) {
        return;
    }
    const session::LogSnapshotPtr log = m_logs->tryLog(current->artifact.log);
    const auto next = static_cast<std::int64_t>(index->index()) + step;
    if (next >= 0 && next < static_cast<std::int64_t>(compilesOf(*log).size())) {
        const session::ArtifactReference best = m_logs->bestArtifact(
            log->log, load::CompileIndex(static_cast<std::uint32_t>(next)), current->artifact.artifact);
        m_selection->select({best, {}});
    }
}

} // namespace aotscope::views
