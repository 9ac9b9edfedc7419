#include "common/graph_totals.h"

#include "common/engine_client.h"
#include "common/log_list.h"

#include <algorithm>
#include <utility>

namespace aotscope::views {

namespace {
constexpr std::size_t compilesInBackground = 300;
constexpr std::uint64_t largestInBackground = 4'000'000;
} // namespace

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
        m_known.eraseLog(log);
        std::erase_if(m_waiting, isOfLog);
        std::erase_if(m_asked, isOfLog);
        std::erase_if(m_compiles, [log](const auto& compile) { return compile.first == log; });
    });
}

void GraphTotalsCollector::keep(const session::GraphSnapshot& graph) {
    if (graph.graph) {
        const session::ArtifactReference reference = m_logs->exact(graph.reference);
        m_known.insert(reference, session::totalsOf(*graph.graph));
        Q_EMIT found(reference);
    }
}

void GraphTotalsCollector::queueLog(const session::LogSnapshotPtr& log) {
    for (const session::GraphSnapshotPtr& graph : log->graphs()) {
        keep(*graph);
    }
    if (!log->complete || !log->traceLog()) {
        return;
    }
    const std::size_t compiles = std::min(log->traceLog()->compiles().size(), compilesInBackground);
    for (std::size_t i = 0; i < compiles; ++i) {
        m_compiles.insert({log->log, static_cast<std::uint32_t>(i)});
    }
    sendNext();
}

/// Listing a compile's artifacts takes time, so it is done when the compile's turn comes.
void GraphTotalsCollector::queueCompile(quint32 number, std::uint32_t compile) {
    const session::LogSnapshotPtr log = m_logs->tryLog(number);
    if (!log || !log->traceLog() || compile >= log->traceLog()->compiles().size()) {
        return;
    }
    const load::ArtifactList& artifacts = log->traceLog()->artifacts(load::CompileIndex(compile));
    for (const load::GraphKind kind :
         {load::GraphKind::Joint, load::GraphKind::Forward, load::GraphKind::Inference}) {
        const auto places = artifacts.placesOf(base::wordOf(kind));
        if (places.empty() || artifacts[places.front()].bytes > largestInBackground) {
            continue;
        }
        session::ArtifactReference reference = session::referenceTo(
            *log, log->traceLog()->compiles()[compile], artifacts.exactName(places.front()));
        if (m_asked.insert(reference).second && !m_known.tryFind(reference)) {
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
        if (!m_known.tryFind(reference)) {
            m_request.ask(session::LoadGraph{std::move(reference)});
        }
    }
}

} // namespace aotscope::views
