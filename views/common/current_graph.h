#pragma once

#include "common/request.h"
#include "contract/snapshots.h"

#include <QObject>

#include <map>

namespace aotscope::views {

class EngineClient;
class LogList;
class SelectionHub;

/// The graph that the selection is in. Asks the engine for it once for all panels.
class CurrentGraph : public QObject {
    Q_OBJECT

public:
    CurrentGraph(EngineClient* engine, SelectionHub* selection, const LogList* logs,
                 QObject* parent = nullptr);

    /// Null if nothing or no graph is selected, or the engine has not answered; `request` has the state.
    [[nodiscard]] const session::GraphSnapshotPtr& graph() const { return m_graph; }
    [[nodiscard]] RequestBase* request() { return &m_request; }
    /// The selected node of the graph; invalid if none.
    [[nodiscard]] ir::NodeId node() const;
    /// The last run of exactly this graph, or null. Runs are kept while their log is open, so that a person
    /// finds them again.
    [[nodiscard]] const session::RunSnapshotPtr& run() const { return m_run; }
    void selectNode(ir::NodeId node, QObject* source = nullptr);

Q_SIGNALS:
    void graphChanged();
    /// Another node is selected, or another graph and therefore another node.
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
    /// The last run of each graph.
    std::map<session::ArtifactReference, session::RunSnapshotPtr> m_runs;
};

} // namespace aotscope::views
