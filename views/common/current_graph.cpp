#include "common/current_graph.h"

#include "common/engine_client.h"
#include "common/log_list.h"
#include "common/selection_hub.h"

namespace aotscope::views {

namespace {

/// Whether the nodes of a run belong to this graph; the graph may have been read again since.
bool isRunOf(const session::RunSnapshot& run, const session::GraphSnapshot& graph) {
    return run.graph.get() == &graph || run.graph->printed.text == graph.printed.text;
}

} // namespace

CurrentGraph::CurrentGraph(EngineClient* engine, SelectionHub* selection, const LogList* logs,
                           QObject* parent)
    : QObject(parent),
      m_selection(selection),
      m_logs(logs),
      m_request(engine, QStringLiteral("current-graph")) {
    connect(selection, &SelectionHub::selectionChanged, this, &CurrentGraph::follow);
    connect(&m_request, &RequestBase::answered, this, [this] { take(m_request.answer()); });
    connect(engine, &EngineClient::runReady, this, &CurrentGraph::takeRun);
    connect(engine, &EngineClient::partitionReady, this, [this](const session::PartitionSnapshotPtr& split) {
        // The shown half has a new version.
        if (m_wanted == split->forward || m_wanted == split->backward) {
            ask();
        }
    });
    connect(engine, &EngineClient::logClosed, this, [this](quint32 log) {
        std::erase_if(m_runs, [log](const auto& entry) { return entry.first.log == log; });
        if (m_wanted.log == log) {
            m_wanted = {};
            clear();
        }
    });
}

void CurrentGraph::ask() {
    m_request.ask(session::LoadGraph{m_wanted});
}

void CurrentGraph::take(const session::GraphSnapshotPtr& graph) {
    if (graph == m_graph || !m_selection->current()) {
        return;
    }
    m_graph = graph;
    const auto run = m_runs.find(graph->reference);
    m_run = run != m_runs.end() && isRunOf(*run->second, *graph) ? run->second : nullptr;
    Q_EMIT graphChanged();
    Q_EMIT nodeChanged(nullptr);
    if (m_run) {
        Q_EMIT runChanged();
    }
}

void CurrentGraph::takeRun(const session::RunSnapshotPtr& run) {
    if (!run->graph) {
        return;
    }
    m_runs[run->graph->reference] = run;
    if (m_graph && run->graph->reference == m_graph->reference) {
        m_run = run;
        Q_EMIT runChanged();
    }
}

void CurrentGraph::clear() {
    m_graph = nullptr;
    m_run = nullptr;
    Q_EMIT graphChanged();
    Q_EMIT nodeChanged(nullptr);
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
    if (selection.artifact == m_wanted && !m_graph && !m_request.gaveUp()) {
        return; // Not answered yet, or not a graph.
    }
    m_wanted = selection.artifact;
    m_graph = nullptr;
    m_run = nullptr;
    const std::optional<load::Artifact> artifact = m_logs->tryArtifact(selection.artifact);
    // Graphs that are in no file come from here: from a re-trace or a paused trace.
    const bool isMade = !artifact && !selection.artifact.artifact.empty();
    if (isMade || (artifact && (artifact->isGraph || !selection.artifact.subgraph.empty()))) {
        ask();
    } else {
        m_request.forget();
    }
    Q_EMIT graphChanged();
    Q_EMIT nodeChanged(source);
}

} // namespace aotscope::views
