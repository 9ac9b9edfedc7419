#include "common/graph_totals.h"

#include "common/engine_client.h"
#include "common/log_list.h"

#include <algorithm>
#include <set>

namespace aotscope::views {

namespace {
constexpr std::size_t compilesInBackground = 300;
constexpr std::uint64_t largestInBackground = 4'000'000;

std::int64_t tensorBytes(const ir::ValueMeta& value, const ir::SymbolBindings& hints) {
    const ir::TensorMeta* tensor = ir::asTensor(value);
    return tensor ? tensor->bytes(hints).value_or(0) : 0;
}

const ir::Arguments* returnedValues(const ir::Node& output) {
    if (output.args.empty()) {
        return nullptr;
    }
    if (const auto* tuple = output.args.front().as<ir::TupleArgument>()) {
        return &tuple->items;
    }
    const auto* list = output.args.front().as<ir::ListArgument>();
    return list ? &list->items : nullptr;
}
} // namespace

GraphTotals totalsOf(const session::GraphSnapshot& snapshot) {
    GraphTotals totals;
    if (!snapshot.graph) {
        return totals;
    }
    const ir::Graph& graph = *snapshot.graph;
    totals.nodes = graph.size();
    const std::optional<ir::NodeId> outputId = graph.output();
    if (!outputId) {
        return totals;
    }
    const ir::Node& output = graph.node(*outputId);
    const ir::Arguments* values = returnedValues(output);
    if (!values) {
        return totals;
    }
    std::set<ir::NodeId> counted;
    for (std::size_t i = 0; i < std::min(values->size(), output.descriptors.size()); ++i) {
        const ir::NodeId* node = (*values)[i].as<ir::NodeId>();
        if (!node || !output.descriptors[i].starts_with("SavedForBackwards")) {
            continue;
        }
        if (counted.insert(*node).second) {
            totals.savedBytes =
                totals.savedBytes.value_or(0) + tensorBytes(graph.node(*node).value, graph.symbolHints());
        }
    }
    return totals;
}

GraphTotalsCollector::GraphTotalsCollector(EngineClient* engine, const LogList* logs, QObject* parent)
    : QObject(parent), m_engine(engine) {
    connect(engine, &EngineClient::graphReady, this, [this](const session::GraphSnapshotPtr& graph) {
        if (graph->graph) {
            m_totals[graph->reference] = totalsOf(*graph);
            Q_EMIT found(graph->reference);
        }
    });
    const auto ended = [this](quint64 job) {
        if (job == m_job) {
            m_job = 0;
            sendNext();
        }
    };
    connect(engine, &EngineClient::finished, this, ended);
    connect(engine, &EngineClient::canceled, this, ended);
    connect(engine, &EngineClient::failed, this, ended);
    connect(logs, &LogList::changed, this, &GraphTotalsCollector::queueLog);
    connect(logs, &LogList::closed, this, [this](quint32 log) {
        std::erase_if(m_totals, [log](const auto& entry) { return entry.first.log == log; });
        std::erase_if(m_waiting,
                      [log](const session::ArtifactReference& reference) { return reference.log == log; });
    });
}

std::optional<GraphTotals> GraphTotalsCollector::tryFind(const session::ArtifactReference& reference) const {
    const auto found = m_totals.find(reference);
    return found == m_totals.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::size_t> GraphTotalsCollector::nodesOf(session::ArtifactReference compile) const {
    for (const char* kind : {"joint", "forward", "inference", "dynamo", "compiled_autograd", "graph"}) {
        compile.artifact = kind;
        if (const std::optional<GraphTotals> totals = tryFind(compile)) {
            return totals->nodes;
        }
    }
    return std::nullopt;
}

std::optional<std::int64_t> GraphTotalsCollector::savedBytesOf(session::ArtifactReference compile) const {
    compile.artifact = "forward";
    const std::optional<GraphTotals> totals = tryFind(compile);
    return totals ? totals->savedBytes : std::nullopt;
}

void GraphTotalsCollector::queueLog(const session::LogSnapshotPtr& log) {
    for (const session::GraphSnapshotPtr& graph : log->graphs) {
        if (graph->graph) {
            m_totals[graph->reference] = totalsOf(*graph);
            Q_EMIT found(graph->reference);
        }
    }
    if (!log->complete || !log->traceLog) {
        return;
    }
    const auto compiles = log->traceLog->compiles();
    for (std::size_t i = 0; i < std::min(compiles.size(), compilesInBackground); ++i) {
        const load::CompileIndex index(static_cast<std::uint32_t>(i));
        for (const char* kind : {"joint", "forward", "inference"}) {
            const std::optional<load::Artifact> artifact = log->traceLog->tryFindArtifact(index, kind);
            session::ArtifactReference reference{log->log, compiles[i].id, kind};
            if (artifact && artifact->bytes <= largestInBackground && !m_totals.contains(reference)) {
                m_waiting.push_back(std::move(reference));
            }
        }
    }
    sendNext();
}

void GraphTotalsCollector::sendNext() {
    while (m_job == 0 && !m_waiting.empty()) {
        session::ArtifactReference reference = std::move(m_waiting.front());
        m_waiting.pop_front();
        if (!m_totals.contains(reference)) {
            m_job = m_engine->send(session::LoadGraph{std::move(reference)}, tag());
        }
    }
}

} // namespace aotscope::views
