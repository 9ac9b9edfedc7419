#pragma once

#include "common/request.h"
#include "load/graph_kind.h"
#include "session/snapshots.h"

#include <QObject>

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace aotscope::views {

class EngineClient;
class LogList;

/// Numbers of a graph for lists of compiles.
struct GraphTotals {
    std::size_t nodes = 0;
    /// Bytes of the tensors that a forward graph saves for its backward; nothing for other graphs, or if the
    /// text does not say which outputs are saved.
    std::optional<std::int64_t> savedBytes;
};
[[nodiscard]] GraphTotals totalsOf(const session::GraphSnapshot& graph);

/// Collects the totals of all graphs from the engine. For the first compiles of each log it requests small
/// graphs in the background, one at a time, so that a person's commands come between them.
class GraphTotalsCollector : public QObject {
    Q_OBJECT

public:
    GraphTotalsCollector(EngineClient* engine, const LogList* logs, QObject* parent = nullptr);

    /// `reference` must come from LogList::exact.
    [[nodiscard]] std::optional<GraphTotals> tryFind(const session::ArtifactReference& reference) const;
    /// Node count of the compile's joint, forward, inference or Dynamo graph: the first that is known.
    [[nodiscard]] std::optional<std::size_t> nodesOf(const session::ArtifactReference& compile) const;
    [[nodiscard]] std::optional<std::int64_t> savedBytesOf(const session::ArtifactReference& compile) const;
    /// The tag of background requests; they show no progress bar.
    [[nodiscard]] static QString tag() { return QStringLiteral("totals"); }

Q_SIGNALS:
    void found(const aotscope::session::ArtifactReference& reference);

private:
    void keep(const session::GraphSnapshot& graph);
    [[nodiscard]] const GraphTotals* tryFirst(const session::ArtifactReference& compile,
                                              load::GraphKind graphKind) const;
    [[nodiscard]] bool knowsNothingOf(const session::ArtifactReference& compile) const;
    void queueLog(const session::LogSnapshotPtr& log);
    void queueCompile(quint32 number, std::uint32_t compile);
    void sendNext();

    const LogList* m_logs;
    std::map<session::ArtifactReference, GraphTotals> m_totals;
    /// Compiles still to be listed, as log and index.
    std::set<std::pair<quint32, std::uint32_t>> m_compiles;
    std::deque<session::ArtifactReference> m_waiting;
    /// Graphs already requested, so that an unreadable one is not requested again.
    std::set<session::ArtifactReference> m_asked;
    Request<session::GraphSnapshotPtr> m_request;
};

} // namespace aotscope::views
