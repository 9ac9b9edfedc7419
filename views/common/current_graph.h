#pragma once

#include "session/snapshots.h"

#include <QObject>

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

    /// Null while nothing is selected, the selection is no graph, or the engine has not answered yet.
    [[nodiscard]] const session::GraphSnapshotPtr& graph() const { return m_graph; }
    /// The node selected in it; invalid: none.
    [[nodiscard]] ir::NodeId node() const;
    /// The last run of this very graph, if any.
    [[nodiscard]] const session::RunSnapshotPtr& run() const { return m_run; }
    void selectNode(ir::NodeId node, QObject* source = nullptr);

Q_SIGNALS:
    void graphChanged();
    /// The selected node, or the graph and with it the node.
    void nodeChanged(QObject* source);
    void runChanged();

private:
    void follow(const session::Selection& selection, QObject* source);

    EngineClient* m_engine;
    SelectionHub* m_selection;
    const LogList* m_logs;
    session::ArtifactReference m_wanted;
    session::GraphSnapshotPtr m_graph;
    session::RunSnapshotPtr m_run;
};

} // namespace aotscope::views
