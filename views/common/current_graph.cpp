#include "common/current_graph.h"

#include "common/engine_client.h"
#include "common/log_list.h"
#include "common/selection_hub.h"

namespace aotscope::views {

CurrentGraph::CurrentGraph(EngineClient* engine, SelectionHub* selection, const LogList* logs,
                           QObject* parent)
    : QObject(parent), m_engine(engine), m_selection(selection), m_logs(logs) {
    connect(selection, &SelectionHub::selectionChanged, this, &CurrentGraph::follow);
    connect(engine, &EngineClient::graphReady, this, [this](const session::GraphSnapshotPtr& graph) {
        if (graph->reference == m_wanted && graph != m_graph && m_selection->current()) {
            m_graph = graph;
            m_run = nullptr;
            Q_EMIT graphChanged();
            Q_EMIT nodeChanged(nullptr);
        }
    });
    connect(engine, &EngineClient::runReady, this, [this](const session::RunSnapshotPtr& run) {
        if (m_graph && run->graph && run->graph->reference == m_graph->reference) {
            m_run = run;
            Q_EMIT runChanged();
        }
    });
    connect(engine, &EngineClient::stepReady, this, [this](const session::StepSnapshotPtr& step) {
        // A half that is shown was made anew.
        if (m_wanted == step->forward || m_wanted == step->backward) {
            m_engine->send(session::LoadGraph{m_wanted}, QStringLiteral("current-graph"));
        }
    });
    connect(engine, &EngineClient::logClosed, this, [this](quint32 log) {
        if (m_wanted.log == log) {
            m_wanted = {};
            m_graph = nullptr;
            m_run = nullptr;
            Q_EMIT graphChanged();
            Q_EMIT nodeChanged(nullptr);
        }
    });
}

ir::NodeId CurrentGraph::node() const {
    const std::optional<session::Selection>& selection = m_selection->current();
    if (!m_graph || !m_graph->graph || !selection || selection->artifact != m_graph->reference) {
        return {};
    }
    return m_graph->graph->tryFind(selection->node).value_or(ir::NodeId());
}

void CurrentGraph::selectNode(ir::NodeId node, QObject* source) {
    if (m_graph && m_graph->graph) {
        m_selection->select(
            {m_graph->reference, node.valid() ? m_graph->graph->node(node).name : std::string()}, source);
    }
}

void CurrentGraph::follow(const session::Selection& selection, QObject* source) {
    if (m_graph && selection.artifact == m_graph->reference) {
        m_wanted = selection.artifact;
        Q_EMIT nodeChanged(source);
        return;
    }
    if (selection.artifact == m_wanted && !m_graph) {
        return; // On its way.
    }
    m_wanted = selection.artifact;
    m_graph = nullptr;
    m_run = nullptr;
    const std::optional<load::Artifact> artifact = m_logs->tryArtifact(selection.artifact);
    // What is in no file was made here: by a trace, or by one that is paused.
    const bool isMade = !artifact && !selection.artifact.artifact.empty();
    if (isMade || (artifact && (artifact->isGraph || !selection.artifact.subgraph.empty()))) {
        m_engine->send(session::LoadGraph{selection.artifact}, QStringLiteral("current-graph"));
    }
    Q_EMIT graphChanged();
    Q_EMIT nodeChanged(source);
}

} // namespace aotscope::views
