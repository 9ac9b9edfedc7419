#pragma once

#include "contract/reference.h"

#include "ir/graph.h"
#include "load/graph_kind.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

namespace aotscope::session {

/// Numbers of a graph for lists of compiles.
struct GraphTotals {
    std::size_t nodes = 0;
    /// Bytes of the tensors that a forward graph saves for its backward; nothing for other graphs, or if the
    /// text does not say which outputs are saved. A tensor that is saved twice counts once; one of unknown
    /// size counts nothing.
    std::optional<std::int64_t> savedBytes;
};
[[nodiscard]] GraphTotals totalsOf(const ir::Graph& graph);

/// The totals of the graphs that were read so far, by their names. A value.
class KnownTotals {
public:
    /// `graph` must have the artifact's exact name.
    void insert(const ArtifactReference& graph, const GraphTotals& totals) { m_totals[graph] = totals; }
    void eraseLog(std::uint32_t log);

    [[nodiscard]] std::optional<GraphTotals> tryFind(const ArtifactReference& graph) const;
    /// Node count of the compile's joint, forward, inference or Dynamo graph: the first that is known.
    [[nodiscard]] std::optional<std::size_t> nodesOf(const ArtifactReference& compile) const;
    /// Bytes that the compile's forward graph saves.
    [[nodiscard]] std::optional<std::int64_t> savedBytesOf(const ArtifactReference& compile) const;

private:
    [[nodiscard]] const GraphTotals* tryFirst(const ArtifactReference& compile, load::GraphKind kind) const;
    [[nodiscard]] bool knowsNothingOf(const ArtifactReference& compile) const;

    std::map<ArtifactReference, GraphTotals> m_totals;
};

} // namespace aotscope::session
