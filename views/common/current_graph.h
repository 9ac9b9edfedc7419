#pragma once

#include "common/request.h"
#include "session/snapshots.h"

#include <QObject>

#include <map>

namespace aotscope::views {

class EngineClient;
class LogList;
class SelectionHub;

/// The graph the selection lies in: asks the engine for it once, for all panels that show it.
class CurrentGraph : public QObject {
    Q_OBJECT

public:
    CurrentGraph(EngineClient* engine, SelectionHub* selection, const LogList* logs,
                 QObject* parent = nullptr);

    /// Null while nothing is selected, the selection is no graph, or the engine has not answered; how it
    /// stands with that says `request`.
    [[nodiscard]] const session::GraphSnapshotPtr& graph() const { return m_graph; }
    [[nodiscard]] RequestBase* request() { return &m_request; }
    /// The node selected in it; invalid: none.
    [[nodiscard]] ir::NodeId node() const;
    /// The last run of this very graph, if any. Runs are kept while their log is open, so that one is there
    /// again when somebody comes back to its graph.
    [[nodiscard]] const session::RunSnapshotPtr& run() const { return m_run; }
    void selectNode(ir::NodeId node, QObject* source = nullptr);

Q_SIGNALS:
    void graphChanged();
    /// The selected node, or the graph and with it the node.
    void nodeChanged(QObject* source);
    void runChanged();

private:
    void follow(const session::Selection& selection, QObject* source);
    void ask();
    void take(const session::GraphSnapshotPtr& graph);
    void takeRun(const session::RunSnapshotPtr& run);
    void clear();

    SelectionHub* m_selection;
    const LogList* m_logs;
    Request<session::GraphSnapshotPtr> m_request;
    session::ArtifactReference m_wanted;
    session::GraphSnapshotPtr m_graph;
    session::RunSnapshotPtr m_run;
    /// The last of each graph.
    std::map<session::ArtifactReference, session::RunSnapshotPtr> m_runs;
};

} // namespace aotscope::views
