#pragma once

#include "panels/panel_context.h"
#include "session/snapshots.h"

#include <QMainWindow>

#include <memory>
#include <optional>
#include <set>
#include <vector>

class QActionGroup;
class QLabel;
class QStackedWidget;
class QToolBar;

namespace aotscope::views {

class BreakpointList;
class BudgetPanel;
class ComparePanel;
class CompilesPanel;
class EngineClient;
class FileJobs;
class GraphDock;
class InspectorPanel;
class JobStatus;
class LogFollower;
class MemoryPanel;
class PayloadPanel;
class ProblemsPanel;
class QuickPick;
class RecentFiles;
class RetracePanel;
class RunPanel;
class SavedPanel;
class SelectionHub;
class TextPanel;
class ThemeSource;

/// The window: a welcome page while nothing is open, else the docks. Knows every panel; the panels know only
/// what is in their context.
class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    /// `engine` and `theme` outlive the window.
    MainWindow(EngineClient* engine, ThemeSource* theme, QWidget* parent = nullptr);
    ~MainWindow() override;

    void openPaths(const QStringList& paths);

    [[nodiscard]] SelectionHub* selection() const { return m_selection.get(); }
    [[nodiscard]] LogList* logs() const { return m_logs.get(); }
    [[nodiscard]] CurrentGraph* currentGraph() const { return m_graph.get(); }
    [[nodiscard]] BreakpointList* breakpoints() const { return m_breakpoints.get(); }
    [[nodiscard]] CurrentStep* currentStep() const { return m_step.get(); }
    [[nodiscard]] CompilesPanel* compilesPanel() const { return m_compilesPanel; }
    [[nodiscard]] GraphDock* graphDock() const { return m_graphDock; }
    [[nodiscard]] TextPanel* textPanel() const { return m_textPanel; }
    [[nodiscard]] InspectorPanel* inspectorPanel() const { return m_inspectorPanel; }
    [[nodiscard]] ProblemsPanel* problemsPanel() const { return m_problemsPanel; }
    [[nodiscard]] PayloadPanel* payloadPanel() const { return m_payloadPanel; }
    [[nodiscard]] RunPanel* runPanel() const { return m_runPanel; }
    [[nodiscard]] RetracePanel* retracePanel() const { return m_retracePanel; }
    [[nodiscard]] SavedPanel* savedPanel() const { return m_savedPanel; }
    [[nodiscard]] MemoryPanel* memoryPanel() const { return m_memoryPanel; }
    [[nodiscard]] BudgetPanel* budgetPanel() const { return m_budgetPanel; }
    [[nodiscard]] ComparePanel* comparePanel() const { return m_comparePanel; }
    [[nodiscard]] QuickPick* quickPick() const { return m_quickPick; }
    [[nodiscard]] JobStatus* jobStatus() const { return m_jobStatus; }
    [[nodiscard]] FileJobs* fileJobs() const { return m_files.get(); }
    [[nodiscard]] RecentFiles* recentFiles() const { return m_recent.get(); }
    /// The action of that object name ("open", "goBack", …); null: there is none.
    [[nodiscard]] QAction* action(const QString& name) const;
    [[nodiscard]] QDockWidget* dock(const QString& name) const;
    /// Whether the docks are shown, not the welcome page.
    [[nodiscard]] bool showsDocks() const;

    enum class ExportFormat { Svg, Png, Dot, Json, Text };
    /// Writes what is shown, made off the window's thread. `done` is told an empty text, or why it failed or
    /// that it was canceled.
    void exportTo(const QString& path, ExportFormat format, bool selectionOnly,
                  std::function<void(const QString&)> done = {});

public Q_SLOTS:
    void openCommandPalette();
    void openGoTo(const QString& start = {});
    void resetLayout();

protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    // main_window.cpp
    void makePanels();
    void makeStatusBar();
    void showDocks();
    void restoreSettings();
    void applyTheme();
    void connectPanels();
    void updateTitle();
    void tellFailure(const base::Error& error);
    void compare(const session::ArtifactReference& left, const session::ArtifactReference& right);

    // window_docks.cpp
    QDockWidget* addDock(const QString& name, const QString& title, QWidget* content);
    void updateDockTitles();
    void arrangeDocks();
    void sizeDocks();
    void focusDock(const QString& name);
    void focusClickedTab(int tab);
    [[nodiscard]] QDockWidget* focusedDock() const;
    void stepPanel(int step);
    void closePanel();
    void floatPanel();

    // window_actions.cpp
    QAction* addAction(QMenu* menu, const QString& name, const QString& title, const QString& tip,
                       const QList<QKeySequence>& keys, std::function<void()> run);
    void makeActions();
    void setIcons();
    void makeToolBar();
    void makeFileMenu();
    void makeViewMenu();
    void makeGoMenu();
    void makeRunMenu();
    void makeStepMenu();
    void showWhy();
    void makeHelpMenu();
    void fillRecentMenu();
    void updateActions();
    void findInFocus();
    void stepStage(int step);
    void stepCompile(int step);
    void askForComparison();
    void goTo(const session::ArtifactReference& reference);

    // window_files.cpp
    void openFileDialog();
    void openFolderDialog();
    void followLogs(const session::LogSnapshotPtr& log);
    void rememberOpened(const session::LogSnapshot& log);
    [[nodiscard]] std::vector<ir::NodeId> pickedNodes() const;
    void exportDialog();
    [[nodiscard]] QString exportName(const session::ArtifactReference& graph) const;

    EngineClient* m_engine;
    ThemeSource* m_theme;
    std::unique_ptr<FileJobs> m_files;
    std::unique_ptr<SelectionHub> m_selection;
    std::unique_ptr<LogList> m_logs;
    std::unique_ptr<CurrentGraph> m_graph;
    std::unique_ptr<CurrentStep> m_step;
    std::unique_ptr<GraphTotalsCollector> m_totals;
    std::unique_ptr<BreakpointList> m_breakpoints;
    std::unique_ptr<RecentFiles> m_recent;
    std::unique_ptr<LogFollower> m_follower;
    PanelContext m_context;

    QStackedWidget* m_pages = nullptr;
    QMainWindow* m_bench = nullptr;
    CompilesPanel* m_compilesPanel = nullptr;
    GraphDock* m_graphDock = nullptr;
    TextPanel* m_textPanel = nullptr;
    InspectorPanel* m_inspectorPanel = nullptr;
    ProblemsPanel* m_problemsPanel = nullptr;
    PayloadPanel* m_payloadPanel = nullptr;
    RunPanel* m_runPanel = nullptr;
    RetracePanel* m_retracePanel = nullptr;
    MemoryPanel* m_memoryPanel = nullptr;
    BudgetPanel* m_budgetPanel = nullptr;
    ComparePanel* m_comparePanel = nullptr;
    SavedPanel* m_savedPanel = nullptr;
    std::vector<QDockWidget*> m_docks;
    QuickPick* m_quickPick = nullptr;
    JobStatus* m_jobStatus = nullptr;
    QMenu* m_recentMenu = nullptr;
    QToolBar* m_toolBar = nullptr;
    std::vector<QAction*> m_actions;
    bool m_layoutRestored = false;
    bool m_docksShown = false;
    /// The remembered arrangement, until the docks are shown.
    QByteArray m_savedDocks;
    /// The panel that somebody put in front last: it stays there.
    QString m_askedFor;
    /// What was asked for at once and has not been seen to open.
    struct Opening {
        QStringList paths;
        /// A log of it was shown, or one that was asked for later.
        bool isShown = false;
    };
    std::vector<Opening> m_openings;
    /// The log to be shown: until its first graph is read, or a person selects something.
    std::optional<quint32> m_toShow;
    /// What was selected in the log that was closed last.
    std::optional<session::Selection> m_before;
};

} // namespace aotscope::views
