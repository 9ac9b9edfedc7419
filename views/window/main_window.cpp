#include "window/main_window.h"

#include "budget/budget_sweeps.h"
#include "common/breakpoint_list.h"
#include "common/compile_settings.h"
#include "common/current_graph.h"
#include "common/engine_client.h"
#include "common/file_jobs.h"
#include "common/format.h"
#include "common/give_keyboard.h"
#include "common/graph_totals.h"
#include "common/log_list.h"
#include "common/retry_button.h"
#include "common/run_device.h"
#include "common/selection_hub.h"
#include "common/shown_kernels.h"
#include "common/theme.h"
#include "graph/graph_panel.h"
#include "hooks/inlining_panel.h"
#include "kernels/kernel_page.h"
#include "kernels/kernels_panel.h"
#include "panels/problems_panel.h"
#include "partition/current_partition.h"
#include "steps/current_call.h"
#include "values/values_panel.h"
#include "window/command_list.h"
#include "window/compile_settings_dialog.h"
#include "window/device_status.h"
#include "window/go_to.h"
#include "window/graph_dock.h"
#include "window/graph_exporter.h"
#include "window/job_status.h"
#include "window/log_follower.h"
#include "window/log_opener.h"
#include "window/panel_links.h"
#include "window/quick_pick.h"
#include "window/recent_files.h"
#include "window/remembered.h"
#include "window/rules_status.h"
#include "window/tool_bar.h"
#include "window/welcome_page.h"

#include <QAction>
#include <QCloseEvent>
#include <QFileInfo>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QScreen>
#include <QSettings>
#include <QStackedWidget>
#include <QStatusBar>
#include <QStyle>
#include <QTimer>
#include <QToolBar>
#include <QToolTip>

#include <algorithm>

namespace aotscope::views {

namespace {
/// Large, but not larger than the screen, so that title bar and lower edge are reachable.
QSize firstSize(const QWidget& window) {
    const int frame = window.style()->pixelMetric(QStyle::PM_TitleBarHeight);
    const QSize room = window.screen()->availableSize() - QSize(0, 2 * frame);
    return QSize(1600, 1000).boundedTo(room);
}
} // namespace

struct MainWindow::Services {
    Services(EngineClient* engine, ThemeSource* theme)
        : logs(engine),
          graph(engine, &selection, &logs),
          partition(engine, &selection, &logs, &settings),
          call(engine, &selection, &logs, &partition, &settings, &kernels),
          device(engine),
          totals(engine, &logs),
          follower(engine, &logs) {
        context = {engine,  &selection,   theme,     &files, &logs,   &graph,  &partition,
                   &totals, &breakpoints, &settings, &call,  &device, &kernels};
    }

    FileJobs files;
    SelectionHub selection;
    LogList logs;
    CompileSettings settings;
    CurrentGraph graph;
    CurrentPartition partition;
    ShownKernels kernels;
    CurrentCall call;
    RunDevice device;
    GraphTotalsCollector totals;
    BreakpointList breakpoints;
    RecentFiles recent;
    LogFollower follower;
    ViewContext context;
};

MainWindow::MainWindow(EngineClient* engine, ThemeSource* theme, QWidget* parent)
    : QMainWindow(parent), m_services(std::make_unique<Services>(engine, theme)) {
    setObjectName(QStringLiteral("window"));
    setAcceptDrops(true);
    setAttribute(Qt::WA_WindowPropagation);
    resize(firstSize(*this));
    m_services->follower.setEnabled(QSettings().value(QStringLiteral("window/follow"), true).toBool());
    m_parts.window = this;
    m_parts.context = m_services->context;
    m_parts.follower = &m_services->follower;
    m_parts.recent = &m_services->recent;
    applyTheme();
    makePages();
    makeParts();
    addMenus(*m_commands, m_parts);
    QToolBar* tools = makeToolBar(*m_commands, *theme);
    QWidget::addAction(tools->toggleViewAction());
    addToolBar(Qt::TopToolBarArea, tools);
    connectParts();
    restoreSettings();
    refresh();
}

MainWindow::~MainWindow() {
    // The parts use the services, which are members and would be destroyed first.
    delete m_pages;
    delete m_quickPick;
    for (QObject* part : {static_cast<QObject*>(m_parts.links), static_cast<QObject*>(m_parts.opener),
                          static_cast<QObject*>(m_parts.exporter), static_cast<QObject*>(m_commands)}) {
        delete part;
    }
}

void MainWindow::makePages() {
    m_pages = new QStackedWidget;
    m_welcome = new WelcomePage(m_parts.recent, m_parts.context.theme);
    m_pages->addWidget(m_welcome);
    m_parts.docks = new PanelDocks(panelSpecs(), m_parts.context);
    m_pages->addWidget(m_parts.docks);
    setCentralWidget(m_pages);
}

void MainWindow::makeParts() {
    const ViewContext& context = m_parts.context;
    m_parts.jobs = new JobStatus(context.engine, context.files, context.theme);
    statusBar()->addPermanentWidget(new DeviceStatus(context.device));
    auto* rules = new RulesStatus(context);
    statusBar()->addPermanentWidget(rules);
    connect(rules, &RulesStatus::settingsRequested, this,
            [this] { CompileSettingsDialog::showFor(m_parts.context, this); });
    statusBar()->addPermanentWidget(m_parts.jobs);
    statusBar()->setSizeGripEnabled(false);
    m_commands = new CommandList(this, context.theme);
    m_quickPick = new QuickPick(this);
    m_parts.goTo = new GoToAnything(context, m_commands, m_quickPick);
    m_parts.links = new PanelLinks(context, m_parts.docks, this);
    // Connected before the code that selects a graph, so that there is a panel to show it.
    connect(context.logs, &LogList::changed, this, &MainWindow::showDocks);
    m_parts.opener = new LogOpener(context, m_parts.recent, this);
    m_parts.exporter = new GraphExporter(context, panel<GraphDock>()->panel(), this);
}

void MainWindow::connectParts() {
    const ViewContext& context = m_parts.context;
    connect(m_welcome, &WelcomePage::openFile, m_parts.opener, &LogOpener::openFileDialog);
    connect(m_welcome, &WelcomePage::openFolder, m_parts.opener, &LogOpener::openFolderDialog);
    connect(m_welcome, &WelcomePage::openPath, this, [this](const QString& path) { openPaths({path}); });
    connect(m_parts.goTo, &GoToAnything::compareRequested, m_parts.links, &PanelLinks::compare);
    connect(m_parts.links, &PanelLinks::said, this, &MainWindow::say);
    connect(m_parts.exporter, &GraphExporter::said, this, &MainWindow::say);
    connect(context.logs, &LogList::closed, this, [this] {
        if (logs()->logs().empty()) {
            m_pages->setCurrentWidget(m_welcome);
        }
    });
    connect(context.theme, &ThemeSource::changed, this, &MainWindow::applyTheme);
    connect(context.engine, &EngineClient::failed, this,
            [this](quint64, const QString& tag, const base::Error& error) {
                if (tag == CurrentPartition::tag() || tag == BudgetSweeps::tag() ||
                    tag == CurrentCall::wrappersTag() || tag == ValuesPanel::tag() ||
                    tag == KernelPage::tag() || tag == KernelPage::buildTag() ||
                    tag == KernelsPanel::planTag() || InliningPanel::showsFailuresOf(tag)) {
                    return; // The panel that sent the command shows the error.
                }
                if (tag == GraphTotalsCollector::tag()) {
                    return; // Not a request of a person; its log may have been replaced in the meantime.
                }
                if (error.code == "session.no_such_log") {
                    return; // The log was closed before its request was answered.
                }
                tellFailure(error);
            });
    connect(context.files, &FileJobs::failed, this, &MainWindow::tellFailure);
    // Updates the title and the enabled commands.
    connect(context.logs, &LogList::changed, this, &MainWindow::refresh);
    connect(context.logs, &LogList::closed, this, &MainWindow::refresh);
    connect(context.selection, &SelectionHub::selectionChanged, this, &MainWindow::refresh);
    connect(context.selection, &SelectionHub::historyChanged, this, &MainWindow::refresh);
    connect(context.graph, &CurrentGraph::graphChanged, this, &MainWindow::refresh);
    connect(context.partition, &CurrentPartition::choicesChanged, this, &MainWindow::refresh);
    connect(context.partition, &CurrentPartition::partitionChanged, this, &MainWindow::refresh);
    connect(m_parts.jobs, &JobStatus::busyChanged, this, &MainWindow::refresh);
    connect(m_parts.links, &PanelLinks::stateChanged, this, &MainWindow::refresh);
}

void MainWindow::openPaths(const QStringList& paths) {
    m_parts.opener->open(paths);
}

QAction* MainWindow::action(const QString& name) const {
    return m_commands->action(name);
}

bool MainWindow::showsDocks() const {
    return m_pages->currentWidget() == m_parts.docks;
}

void MainWindow::showDocks() {
    if (showsDocks()) {
        return;
    }
    m_pages->setCurrentWidget(m_parts.docks);
    m_docksShown = true;
    // Moves the focus to the first picture, unless a person has opened a panel or typed in the meantime. The
    // current focus does not show that: activating the window and hiding a panel move it too.
    connect(
        panel<GraphDock>()->panel(), &GraphPanel::pictureChanged, this,
        [this] {
            const auto* field = qobject_cast<QLineEdit*>(focusWidget());
            if (m_parts.docks->askedFor().isEmpty() && (field == nullptr || field->text().isEmpty())) {
                giveKeyboard(panel<GraphDock>(), Qt::OtherFocusReason);
            }
        },
        Qt::SingleShotConnection);
}

void MainWindow::say(const QString& message) {
    constexpr int milliseconds = 15'000;
    statusBar()->showMessage(message, milliseconds);
}

void MainWindow::tellFailure(const base::Error& error) {
    say(text(error.message));
    panel<ProblemsPanel>()->addFailure(error);
    if (const QString file = text(error.place.file); !file.isEmpty() && !QFileInfo::exists(file)) {
        m_parts.recent->remove(file);
    }
    if (logs()->logs().empty()) {
        // Otherwise only the welcome page could show the message.
        showDocks();
    }
    // A panel in sight may show it itself, with a button to try again; which one is known when it has heard
    // of it.
    QTimer::singleShot(0, this, [this, message = text(error.message)] {
        if (!showsFailure(message)) {
            m_parts.docks->raisePanel(QStringLiteral("problems"));
        }
    });
}

bool MainWindow::showsFailure(const QString& message) const {
    const QList<QPushButton*> buttons = m_parts.docks->findChildren<QPushButton*>();
    return std::ranges::any_of(buttons, [&](const QPushButton* button) {
        return button->property(shownFailure).toString() == message && button->isVisible() &&
               !button->visibleRegion().isEmpty();
    });
}

void MainWindow::refresh() {
    updateTitle();
    updateCommands(*m_commands, m_parts);
}

void MainWindow::updateTitle() {
    QString title = QStringLiteral("aotscope");
    if (const std::optional<session::Selection>& current = selection()->current()) {
        const session::LogSnapshotPtr log = logs()->tryLog(current->artifact.log);
        // The node may be kept from another graph of the compile and not exist in this one.
        const QString node =
            currentGraph()->node().valid() ? QStringLiteral(" · ") + text(current->node) : QString();
        title = referenceText(current->artifact) + node + QStringLiteral(" — ") +
                (log ? titleOf(*log) + QStringLiteral(" — ") : QString()) + title;
    }
    setWindowTitle(title);
}

void MainWindow::applyTheme() {
    const QPalette palette = m_parts.context.theme->theme().palette();
    setPalette(palette);
    // Tooltips belong to no window.
    QToolTip::setPalette(palette);
}

void MainWindow::resetLayout() {
    QSettings().remove(QStringLiteral("window/docks"));
    m_parts.docks->resetArrangement();
}

void MainWindow::restoreSettings() {
    QSettings settings;
    restoreGeometry(settings.value(QStringLiteral("window/geometry")).toByteArray());
    m_parts.docks->restoreArrangement(settings.value(QStringLiteral("window/docks")).toByteArray());
    restorePanels(*m_parts.docks, m_parts.context, settings);
}

void MainWindow::closeEvent(QCloseEvent* event) {
    QSettings settings;
    settings.setValue(QStringLiteral("window/geometry"), saveGeometry());
    // Docks that were never shown have no sizes; then the remembered arrangement stays.
    if (m_docksShown) {
        settings.setValue(QStringLiteral("window/docks"), m_parts.docks->arrangement());
        rememberPanels(*m_parts.docks, m_parts.context, settings);
    }
    settings.setValue(QStringLiteral("window/follow"), m_parts.follower->enabled());
    settings.setValue(QStringLiteral("window/theme"), static_cast<int>(m_parts.context.theme->choice()));
    m_parts.jobs->cancelAll();
    QMainWindow::closeEvent(event);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    const QList<QUrl> urls = event->mimeData()->urls();
    if (std::any_of(urls.begin(), urls.end(), [](const QUrl& url) { return url.isLocalFile(); })) {
        event->acceptProposedAction();
    }
}

void MainWindow::dropEvent(QDropEvent* event) {
    QStringList paths;
    for (const QUrl& url : event->mimeData()->urls()) {
        if (url.isLocalFile()) {
            paths.append(url.toLocalFile());
        }
    }
    openPaths(paths);
    event->acceptProposedAction();
}

} // namespace aotscope::views
