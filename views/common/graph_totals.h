#pragma once

#include "common/request.h"
#include "contract/snapshots.h"
#include "files/graph_totals.h"

#include <QObject>

#include <deque>
#include <set>
#include <utility>

namespace aotscope::views {

class EngineClient;
class LogList;

/// Collects the totals of all graphs from the engine. For the first compiles of each log it requests small
/// graphs in the background, one at a time, so that a person's commands come between them.
class GraphTotalsCollector : public QObject {
    Q_OBJECT

public:
    GraphTotalsCollector(EngineClient* engine, const LogList* logs, QObject* parent = nullptr);

    /// Names in it come from LogList::exact.
    [[nodiscard]] const session::KnownTotals& known() const { return m_known; }
    /// The tag of background requests; they show no progress bar.
    [[nodiscard]] static QString tag() { return QStringLiteral("totals"); }

Q_SIGNALS:
    void found(const aotscope::session::ArtifactReference& reference);

private:
    void keep(const session::GraphSnapshot& graph);
    void queueLog(const session::LogSnapshotPtr& log);
    void queueCompile(quint32 number, std::uint32_t compile);
    void sendNext();

    const LogList* m_logs;
    session::KnownTotals m_known;
    /// Compiles still to be listed, as log and index.
    std::set<std::pair<quint32, std::uint32_t>> m_compiles;
    std::deque<session::ArtifactReference> m_waiting;
    /// Graphs already requested, so that an unreadable one is not requested again.
    std::set<session::ArtifactReference> m_asked;
    Request<session::GraphSnapshotPtr> m_request;
};

} // namespace aotscope::views
