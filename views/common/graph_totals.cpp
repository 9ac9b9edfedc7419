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
        const ir::AOTOutput* descriptor = ir::outputDescriptor(output, i);
        if (!node || !descriptor || !ir::isSavedForBackwards(*descriptor)) {
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
    : QObject(parent), m_logs(logs), m_request(engine, tag()) {
    connect(engine, &EngineClient::graphReady, this,
            [this](const session::GraphSnapshotPtr& graph) { keep(*graph); });
    connect(&m_request, &RequestBase::changed, this, [this] {
        if (!m_request.isUnderWay()) {
            sendNext();
        }
    });
    connect(logs, &LogList::changed, this, &GraphTotalsCollector::queueLog);
    connect(logs, &LogList::closed, this, [this](quint32 log) {
        const auto isOfLog = [log](const session::ArtifactReference& reference) {
            return reference.log == log;
        };
        std::erase_if(m_totals, [&](const auto& entry) { return isOfLog(entry.first); });
        std::erase_if(m_waiting, isOfLog);
        std::erase_if(m_asked, isOfLog);
        std::erase_if(m_compiles, [log](const auto& compile) { return compile.first == log; });
    });
}

std::optional<GraphTotals> GraphTotalsCollector::tryFind(const session::ArtifactReference& reference) const {
    const auto found = m_totals.find(reference);
    return found == m_totals.end() ? std::nullopt : std::optional(found->second);
}

void GraphTotalsCollector::keep(const session::GraphSnapshot& graph) {
    if (graph.graph) {
        const session::ArtifactReference reference = m_logs->exact(graph.reference);
        m_totals[reference] = totalsOf(graph);
        Q_EMIT found(reference);
    }
}

/// If a kind was logged several times, the first one.
const GraphTotals* GraphTotalsCollector::tryFirst(const session::ArtifactReference& compile,
                                                  load::GraphKind graphKind) const {
    const std::string_view kind = load::graphKindName(graphKind);
    session::ArtifactReference start{compile.log, compile.compile, std::string(kind)};
    for (auto entry = m_totals.lower_bound(start); entry != m_totals.end(); ++entry) {
        const session::ArtifactReference& found = entry->first;
        if (found.log != compile.log || found.compile != compile.compile ||
            !found.artifact.starts_with(kind)) {
            break;
        }
        const std::string_view number = std::string_view(found.artifact).substr(kind.size());
        if (found.subgraph.empty() && found.rank == compile.rank && (number.empty() || number == "#1")) {
            return &entry->second;
        }
    }
    return nullptr;
}

/// True for most compiles of a large log.
bool GraphTotalsCollector::knowsNothingOf(const session::ArtifactReference& compile) const {
    const auto next = m_totals.lower_bound({.log = compile.log, .compile = compile.compile, .artifact = {}});
    return next == m_totals.end() || next->first.log != compile.log || next->first.compile != compile.compile;
}

std::optional<std::size_t> GraphTotalsCollector::nodesOf(const session::ArtifactReference& compile) const {
    if (knowsNothingOf(compile)) {
        return std::nullopt;
    }
    for (const load::GraphKind kind : load::tellingGraphKinds) {
        if (const GraphTotals* totals = tryFirst(compile, kind)) {
            return totals->nodes;
        }
    }
    return std::nullopt;
}

std::optional<std::int64_t>
GraphTotalsCollector::savedBytesOf(const session::ArtifactReference& compile) const {
    const GraphTotals* totals = tryFirst(compile, load::GraphKind::Forward);
    return totals ? totals->savedBytes : std::nullopt;
}

void GraphTotalsCollector::queueLog(const session::LogSnapshotPtr& log) {
    for (const session::GraphSnapshotPtr& graph : log->graphs) {
        keep(*graph);
    }
    if (!log->complete || !log->traceLog) {
        return;
    }
    const std::size_t compiles = std::min(log->traceLog->compiles().size(), compilesInBackground);
    for (std::size_t i = 0; i < compiles; ++i) {
        m_compiles.insert({log->log, static_cast<std::uint32_t>(i)});
    }
    sendNext();
}

/// Listing a compile's artifacts takes time, so it is done when the compile's turn comes.
void GraphTotalsCollector::queueCompile(quint32 number, std::uint32_t compile) {
    const session::LogSnapshotPtr log = m_logs->tryLog(number);
    if (!log || !log->traceLog || compile >= log->traceLog->compiles().size()) {
        return;
    }
    const load::ArtifactList& artifacts = log->traceLog->artifacts(load::CompileIndex(compile));
    for (const load::GraphKind kind :
         {load::GraphKind::Joint, load::GraphKind::Forward, load::GraphKind::Inference}) {
        const auto places = artifacts.placesOf(load::graphKindName(kind));
        if (places.empty() || artifacts[places.front()].bytes > largestInBackground) {
            continue;
        }
        session::ArtifactReference reference = session::referenceTo(*log, log->traceLog->compiles()[compile],
                                                                    artifacts.exactName(places.front()));
        if (m_asked.insert(reference).second && !m_totals.contains(reference)) {
            m_waiting.push_back(std::move(reference));
        }
    }
}

void GraphTotalsCollector::sendNext() {
    while (!m_request.isUnderWay() && !(m_waiting.empty() && m_compiles.empty())) {
        if (m_waiting.empty()) {
            const auto [log, compile] = m_compiles.extract(m_compiles.begin()).value();
            queueCompile(log, compile);
            if (m_waiting.empty()) {
                // One at a time, so that the window can handle events in between.
                QMetaObject::invokeMethod(this, &GraphTotalsCollector::sendNext, Qt::QueuedConnection);
                return;
            }
        }
        session::ArtifactReference reference = std::move(m_waiting.front());
        m_waiting.pop_front();
        if (!m_totals.contains(reference)) {
            m_request.ask(session::LoadGraph{std::move(reference)});
        }
    }
}

} // namespace aotscope::views
