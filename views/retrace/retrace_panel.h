#pragma once

#include "common/request.h"
#include "common/view_context.h"
#include "contract/requests.h"
#include "contract/retrace_snapshot.h"

#include <QWidget>

#include <functional>
#include <vector>

class QCheckBox;
class QLabel;
class QPushButton;
class QTextBrowser;
class QTreeWidget;
class QUrl;

namespace aotscope::views {

class EmptyPage;
class PauseView;
class StageBar;
class VerdictLabel;

/// The Re-trace dock: traces the Dynamo graphs of a compile, or of its whole log, again on this machine and
/// shows whether each result is PyTorch's graph. The two graphs open in Compare. A trace that reaches a
/// breakpoint is shown until it is answered.
class RetracePanel : public QWidget {
    Q_OBJECT

public:
    explicit RetracePanel(const ViewContext& context, QWidget* parent = nullptr);

    /// Traces the selected compile.
    void retraceCompile();
    /// Traces every compile of the selected log.
    void retraceLog();
    /// Traces the selected compile and pauses before its first node.
    void moveCompile();
    void cancel();
    /// Asks for a folder and writes all re-traces into a new folder in it.
    void saveDialog();
    /// `done` gets an empty text, or the reason for a failure or cancel.
    void saveTo(const QString& folder, std::function<void(const QString&)> done = {});
    /// Answers the pause, with the current breakpoints. Does nothing if no trace is paused.
    void answer(session::PauseAnswer::Kind kind, const std::string& fact = {});
    [[nodiscard]] bool paused() const { return m_pause != nullptr; }
    [[nodiscard]] const session::TracePausePtr& pause() const { return m_pause; }
    [[nodiscard]] PauseView* pauseView() const { return m_pauseView; }
    [[nodiscard]] StageBar* stageBar() const { return m_stageBar; }
    /// Whether re-traces also make the graphs of the stages.
    void setStagesWanted(bool wanted);
    /// Whether re-traces use the cache of compiled functions.
    void setCacheWanted(bool wanted);
    [[nodiscard]] bool running() const { return m_request.isUnderWay(); }
    [[nodiscard]] const std::vector<session::RetraceSnapshotPtr>& results() const { return m_results; }
    [[nodiscard]] QTreeWidget* view() const { return m_view; }
    [[nodiscard]] QTextBrowser* details() const { return m_details; }
    /// The selected compile's graph beside the log's.
    [[nodiscard]] VerdictLabel* verdict() const { return m_verdict; }

Q_SIGNALS:
    /// Show the traced graph (left) and PyTorch's side by side.
    void compareRequested(const aotscope::session::ArtifactReference& made,
                          const aotscope::session::ArtifactReference& logged);
    void pausedChanged(bool paused);

private:
    void send(session::Retrace command);
    void traceCompile(bool pauseAtStart);
    void showPause(const session::TracePausePtr& pause);
    void endPause();
    void selectStage(const session::ArtifactReference& graph);
    void selectGraph(const session::GraphSnapshotPtr& graph);
    void add(const session::RetraceSnapshotPtr& retraced);
    void nameRows();
    void nameRow(int row);
    void followRequest();
    void showNoResults();
    void end();
    void say(const QString& message);
    void showSummary();
    void showDetails();
    void followLink(const QUrl& link);
    void compareCurrent();
    void forgetLog(quint32 log);
    void updateButtons();
    [[nodiscard]] session::RetraceSnapshotPtr current() const;

    ViewContext m_context;
    QTreeWidget* m_view;
    VerdictLabel* m_verdict;
    QTextBrowser* m_details;
    EmptyPage* m_pages;
    QPushButton* m_compileButton;
    QPushButton* m_logButton;
    QPushButton* m_cancelButton;
    QPushButton* m_compareButton;
    QPushButton* m_saveButton;
    QLabel* m_summary;
    /// One per row of the view.
    std::vector<session::RetraceSnapshotPtr> m_results;
    SeriesRequest<session::RetraceSnapshotPtr> m_request;
    /// A single compile is being traced; its result will be selected.
    bool m_tracesOne = false;
    PauseView* m_pauseView;
    StageBar* m_stageBar;
    QCheckBox* m_stagesWanted;
    QCheckBox* m_cacheWanted;
    session::TracePausePtr m_pause;
    /// The last pause graph that was shown. Pause graphs are shown as they come, until a person selects
    /// something else.
    session::ArtifactReference m_shownPause;
};

} // namespace aotscope::views
