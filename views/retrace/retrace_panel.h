#pragma once

#include "panels/panel_context.h"
#include "session/commands.h"
#include "session/retrace_snapshot.h"

#include <QWidget>

#include <vector>

class QLabel;
class QPushButton;
class QTextBrowser;
class QTreeWidget;

namespace aotscope::views {

class EmptyPage;

/// The Re-trace dock: compiles the logged Dynamo graphs of a compile, or of its whole log, again on this
/// machine and shows for each whether the graph is PyTorch's. The two graphs open in Compare.
class RetracePanel : public QWidget {
    Q_OBJECT

public:
    explicit RetracePanel(const PanelContext& context, QWidget* parent = nullptr);

    /// Traces the compile of the current selection.
    void retraceCompile();
    /// Traces every compile of the current selection's log.
    void retraceLog();
    void cancel();
    [[nodiscard]] bool running() const { return m_job != 0; }
    [[nodiscard]] const std::vector<session::RetraceSnapshotPtr>& results() const { return m_results; }
    [[nodiscard]] QTreeWidget* view() const { return m_view; }
    [[nodiscard]] QTextBrowser* details() const { return m_details; }

Q_SIGNALS:
    /// The traced graph (left) and PyTorch's are to be shown side by side.
    void compareRequested(const aotscope::session::ArtifactReference& made,
                          const aotscope::session::ArtifactReference& logged);

private:
    void send(session::Retrace command);
    void add(const session::RetraceSnapshotPtr& retraced);
    void end(quint64 job, const QString& message);
    void showSummary();
    void showDetails();
    void compareCurrent();
    void forgetLog(quint32 log);
    void updateButtons();
    [[nodiscard]] session::RetraceSnapshotPtr current() const;

    PanelContext m_context;
    QTreeWidget* m_view;
    QTextBrowser* m_details;
    EmptyPage* m_pages;
    QPushButton* m_compileButton;
    QPushButton* m_logButton;
    QPushButton* m_cancelButton;
    QPushButton* m_compareButton;
    QLabel* m_summary;
    /// One per row of the view.
    std::vector<session::RetraceSnapshotPtr> m_results;
    quint64 m_job = 0;
};

} // namespace aotscope::views
