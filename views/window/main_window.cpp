#include "window/main_window.h"

#include "budget/budget_panel.h"
#include "common/breakpoint_list.h"
#include "common/current_graph.h"
#include "common/engine_client.h"
#include "common/file_jobs.h"
#include "common/format.h"
#include "common/give_keyboard.h"
#include "common/graph_totals.h"
#include "common/log_list.h"
#include "common/selection_hub.h"
#include "common/theme.h"
#include "compare/compare_panel.h"
#include "graph/graph_panel.h"
#include "memory/memory_panel.h"
#include "panels/compiles_panel.h"
#include "panels/inspector_panel.h"
#include "panels/payload_panel.h"
#include "panels/problems_panel.h"
#include "panels/run_panel.h"
#include "panels/text_panel.h"
#include "retrace/retrace_panel.h"
#include "retrace/stage_bar.h"
#include "step/current_step.h"
#include "step/saved_panel.h"
#include "step/why_bar.h"
#include "window/graph_dock.h"
#include "window/job_status.h"
#include "window/log_follower.h"
#include "window/quick_pick.h"
#include "window/recent_files.h"
#include "window/welcome_page.h"

#include <QCloseEvent>
#include <QDockWidget>
#include <QFileInfo>
#include <QLineEdit>
#include <QScreen>
#include <QSettings>
#include <QStackedWidget>
#include <QStatusBar>
#include <QStyle>
#include <QToolTip>

#include <algorithm>
#include <utility>

namespace aotscope::views {

namespace {
/// Large, but never larger than the screen, where its lower edge and title bar would be out of reach.
QSize firstSize(const QWidget& window) {
    const int frame = window.style()->pixelMetric(QStyle::PM_TitleBarHeight);
    const QSize room = window.screen()->availableSize() - QSize(0, 2 * frame);
    return QSize(1600, 1000).boundedTo(room);
}

/// Raised when docks are added or renamed, so that an old arrangement is not applied to new docks.
constexpr int layoutVersion = 5;
} // namespace

MainWindow::MainWindow(EngineClient* engine, ThemeSource* theme, QWidget* parent)
    : QMainWindow(parent),
      m_engine(engine),
      m_theme(theme),
      m_files(std::make_unique<FileJobs>()),
      m_selection(std::make_unique<SelectionHub>()),
      m_logs(std::make_unique<LogList>(engine)),
      m_graph(std::make_unique<CurrentGraph>(engine, m_selection.get(), m_logs.get())),
      m_step(std::make_unique<CurrentStep>(engine, m_selection.get(), m_logs.get())),
      m_totals(std::make_unique<GraphTotalsCollector>(engine, m_logs.get())),
      m_breakpoints(std::make_unique<BreakpointList>()),
      m_recent(std::make_unique<RecentFiles>()),
      m_follower(std::make_unique<LogFollower>(engine, m_logs.get())) {
    setObjectName(QStringLiteral("window"));
    setAcceptDrops(true);
    setAttribute(Qt::WA_WindowPropagation);
    resize(firstSize(*this));
    m_context.view = {engine, m_selection.get(), theme, m_files.get()};
    m_context.logs = m_logs.get();
    m_context.graph = m_graph.get();
    m_context.step = m_step.get();
    m_context.totals = m_totals.get();
    m_context.breakpoints = m_breakpoints.get();
    applyTheme();
    makePanels();
    makeStatusBar();
    m_quickPick = new QuickPick(this);
    makeActions();
    setIcons();
    makeToolBar();
    connectPanels();
    restoreSettings();
    updateTitle();
    updateActions();
}

MainWindow::~MainWindow() {
    // Panels refer to the services, which are members and would go before them.
    delete m_pages;
    delete m_quickPick;
}

void MainWindow::makePanels() {
    m_pages = new QStackedWidget;
    auto* welcome = new WelcomePage(m_recent.get(), m_theme);
    m_pages->addWidget(welcome);
    m_bench = new QMainWindow;
    m_bench->setWindowFlags(Qt::Widget);
    m_bench->setDockOptions(QMainWindow::AllowNestedDocks | QMainWindow::AllowTabbedDocks |
                            QMainWindow::AnimatedDocks | QMainWindow::GroupedDragging);
    m_bench->setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    m_pages->addWidget(m_bench);
    setCentralWidget(m_pages);

    m_compilesPanel = new CompilesPanel(m_context);
    m_graphDock = new GraphDock(m_context);
    m_inspectorPanel = new InspectorPanel(m_context);
    m_textPanel = new TextPanel(m_context);
    m_problemsPanel = new ProblemsPanel(m_context);
    m_payloadPanel = new PayloadPanel(m_context);
    m_runPanel = new RunPanel(m_context);
    m_retracePanel = new RetracePanel(m_context);
    m_comparePanel = new ComparePanel(m_context.view);
    m_savedPanel = new SavedPanel(m_context);
    m_memoryPanel = new MemoryPanel(m_context);
    m_budgetPanel = new BudgetPanel(m_context);
    addDock(QStringLiteral("compiles"), tr("Compiles"), m_compilesPanel);
    addDock(QStringLiteral("graph"), tr("Graph"), m_graphDock);
    addDock(QStringLiteral("text"), tr("Text"), m_textPanel);
    addDock(QStringLiteral("inspector"), tr("Inspector"), m_inspectorPanel);
    addDock(QStringLiteral("problems"), tr("Problems"), m_problemsPanel);
    addDock(QStringLiteral("payload"), tr("Payload"), m_payloadPanel);
    addDock(QStringLiteral("run"), tr("Run"), m_runPanel);
    addDock(QStringLiteral("retrace"), tr("Re-trace"), m_retracePanel);
    addDock(QStringLiteral("compare"), tr("Compare"), m_comparePanel);
    addDock(QStringLiteral("saved"), tr("Saved"), m_savedPanel);
    addDock(QStringLiteral("memory"), tr("Memory"), m_memoryPanel);
    addDock(QStringLiteral("budget"), tr("Budget"), m_budgetPanel);
    arrangeDocks();

    connect(welcome, &WelcomePage::openFile, this, &MainWindow::openFileDialog);
    connect(welcome, &WelcomePage::openFolder, this, &MainWindow::openFolderDialog);
    connect(welcome, &WelcomePage::openPath, this, [this](const QString& path) { openPaths({path}); });
}

void MainWindow::showDocks() {
    if (showsDocks()) {
        return;
    }
    m_pages->setCurrentWidget(m_bench);
    m_docksShown = true;
    // The keyboard begins in the first picture, unless somebody has asked for a panel or typed meanwhile.
    // Where it is tells nothing of that: a window that becomes active, and a panel that is hidden, move it,
    // too.
    connect(
        m_graphDock->panel(), &GraphPanel::pictureChanged, this,
        [this] {
            const auto* field = qobject_cast<QLineEdit*>(focusWidget());
            if (m_askedFor.isEmpty() && (field == nullptr || field->text().isEmpty())) {
                giveKeyboard(m_graphDock, Qt::OtherFocusReason);
            }
        },
        Qt::SingleShotConnection);
    if (!m_layoutRestored) {
        m_layoutRestored = true;
        // After the event that gives the docks their first geometry.
        QMetaObject::invokeMethod(this, &MainWindow::sizeDocks, Qt::QueuedConnection);
    } else if (!m_savedDocks.isEmpty()) {
        // Again, now that there is room: behind the welcome page the docks had next to none.
        const QByteArray saved = std::exchange(m_savedDocks, {});
        QMetaObject::invokeMethod(
            this,
            [this, saved] {
                m_bench->restoreState(saved, layoutVersion);
                if (!m_askedFor.isEmpty()) {
                    focusDock(m_askedFor);
                }
            },
            Qt::QueuedConnection);
    }
}

bool MainWindow::showsDocks() const {
    return m_pages->currentWidget() == m_bench;
}

void MainWindow::makeStatusBar() {
    m_jobStatus = new JobStatus(m_engine, m_files.get(), m_theme);
    statusBar()->addPermanentWidget(m_jobStatus);
    statusBar()->setSizeGripEnabled(false);
}

void MainWindow::connectPanels() {
    connect(m_logs.get(), &LogList::changed, this, &MainWindow::followLogs);
    connect(m_logs.get(), &LogList::closed, this, [this](quint32 log) {
        const std::optional<session::Selection>& selected = m_selection->current();
        m_before = selected && selected->artifact.log == log ? selected : std::nullopt;
        m_selection->forgetLog(log);
        if (m_logs->logs().empty()) {
            m_pages->setCurrentIndex(0);
        }
        updateTitle();
        updateActions();
    });
    connect(m_selection.get(), &SelectionHub::selectionChanged, this, [this] {
        m_toShow.reset();
        updateTitle();
        updateActions();
    });
    connect(m_selection.get(), &SelectionHub::historyChanged, this, &MainWindow::updateActions);
    connect(m_graph.get(), &CurrentGraph::graphChanged, this, [this] {
        updateTitle();
        updateActions();
    });
    connect(m_theme, &ThemeSource::changed, this, &MainWindow::applyTheme);
    connect(m_retracePanel, &RetracePanel::compareRequested, this, &MainWindow::compare);
    connect(m_retracePanel, &RetracePanel::pausedChanged, this, [this](bool paused) {
        updateActions();
        if (paused) {
            dock(QStringLiteral("retrace"))->show();
            dock(QStringLiteral("retrace"))->raise();
        }
    });
    connect(m_compilesPanel, &CompilesPanel::compareRequested, this, &MainWindow::compare);
    connect(m_compilesPanel, &CompilesPanel::closeRequested, this,
            [this](quint32 log) { m_engine->send(session::CloseLog{log}); });
    connect(m_problemsPanel, &ProblemsPanel::recordRequested, this,
            [this](quint32 log, load::RecordId record) {
                m_payloadPanel->showRecord(log, record);
                focusDock(QStringLiteral("payload"));
            });
    connect(m_inspectorPanel, &InspectorPanel::textRequested, this,
            [this] { focusDock(QStringLiteral("text")); });
    connect(m_graphDock->panel(), &GraphPanel::showTextRequested, this,
            [this] { focusDock(QStringLiteral("text")); });
    connect(m_graphDock->panel(), &GraphPanel::whyRequested, this, &MainWindow::showWhy);
    connect(m_textPanel, &TextPanel::whyRequested, this, &MainWindow::showWhy);
    connect(m_textPanel, &TextPanel::noPlaceToPause, this, [this] {
        constexpr int milliseconds = 8'000;
        statusBar()->showMessage(tr("A re-trace pauses at a node that is computed or at a source comment "
                                    "(# File: …): pick such a line."),
                                 milliseconds);
    });
    connect(m_graphDock->panel(), &GraphPanel::foundChanged, this,
            [this] { m_inspectorPanel->whyBar()->setFound(m_graphDock->panel()->found()); });
    connect(m_step.get(), &CurrentStep::choicesChanged, this, &MainWindow::updateActions);
    connect(m_step.get(), &CurrentStep::stepChanged, this, &MainWindow::updateActions);
    connect(m_jobStatus, &JobStatus::busyChanged, this, &MainWindow::updateActions);
    connect(m_recent.get(), &RecentFiles::changed, this, &MainWindow::fillRecentMenu);
    connect(m_engine, &EngineClient::failed, this,
            [this](quint64, const QString& tag, const base::Error& error) {
                if (tag == CurrentStep::tag() || tag == BudgetSweeps::tag()) {
                    return; // Told where the choice was made.
                }
                tellFailure(error);
            });
    connect(m_files.get(), &FileJobs::failed, this, &MainWindow::tellFailure);
}

void MainWindow::tellFailure(const base::Error& error) {
    statusBar()->showMessage(text(error.message), 15'000);
    m_problemsPanel->addFailure(error);
    if (const QString file = text(error.place.file); !file.isEmpty() && !QFileInfo::exists(file)) {
        m_recent->remove(file);
    }
    if (m_logs->logs().empty()) {
        // Nothing but the welcome page is there to say it.
        showDocks();
    }
    dock(QStringLiteral("problems"))->show();
    dock(QStringLiteral("problems"))->raise();
}

void MainWindow::stepStage(int step) {
    if (!m_retracePanel->stageBar()->step(step)) {
        constexpr int milliseconds = 8'000;
        statusBar()->showMessage(tr("No stages are shown: tick “stages” in the Re-trace panel (Ctrl+8) and "
                                    "trace the compile again (Ctrl+Shift+R)."),
                                 milliseconds);
    }
}

void MainWindow::showWhy() {
    focusDock(QStringLiteral("inspector"));
    m_inspectorPanel->showWhy();
}

void MainWindow::compare(const session::ArtifactReference& left, const session::ArtifactReference& right) {
    m_comparePanel->compare(left, right);
    focusDock(QStringLiteral("compare"));
}

void MainWindow::updateTitle() {
    QString title = QStringLiteral("aotscope");
    if (const std::optional<session::Selection>& current = m_selection->current()) {
        const session::LogSnapshotPtr log = m_logs->tryLog(current->artifact.log);
        // The selection's node may not exist in this graph: it was kept from another one of the compile.
        const QString node =
            m_graph->node().valid() ? QStringLiteral(" · ") + text(current->node) : QString();
        title = referenceText(current->artifact) + node + QStringLiteral(" — ") +
                (log ? titleOf(*log) + QStringLiteral(" — ") : QString()) + title;
    }
    setWindowTitle(title);
}

void MainWindow::applyTheme() {
    const QPalette palette = m_theme->theme().palette();
    setPalette(palette);
    // Tooltips are no part of any window.
    QToolTip::setPalette(palette);
}

void MainWindow::restoreSettings() {
    QSettings settings;
    restoreGeometry(settings.value(QStringLiteral("window/geometry")).toByteArray());
    m_savedDocks = settings.value(QStringLiteral("window/docks")).toByteArray();
    if (!m_savedDocks.isEmpty()) {
        m_layoutRestored = m_bench->restoreState(m_savedDocks, layoutVersion);
    }
}

void MainWindow::closeEvent(QCloseEvent* event) {
    QSettings settings;
    settings.setValue(QStringLiteral("window/geometry"), saveGeometry());
    // An arrangement that was never seen has no sizes, and what was remembered stays.
    if (m_docksShown) {
        settings.setValue(QStringLiteral("window/docks"), m_bench->saveState(layoutVersion));
    }
    settings.setValue(QStringLiteral("window/follow"), m_follower->enabled());
    settings.setValue(QStringLiteral("window/theme"), static_cast<int>(m_theme->choice()));
    m_jobStatus->cancelAll();
    QMainWindow::closeEvent(event);
}

} // namespace aotscope::views
