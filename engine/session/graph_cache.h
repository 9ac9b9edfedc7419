#pragma once

#include "contract/snapshots.h"
#include "session/changed_compiles.h"

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>

namespace aotscope::session {

/// Cache of parsed graphs, bounded by their total number of nodes; drops the least recently used first. Not
/// thread-safe.
class GraphCache {
public:
    explicit GraphCache(std::size_t mostNodes) : m_mostNodes(mostNodes) {}

    /// Null if it is not cached. Counts as a use.
    [[nodiscard]] GraphSnapshotPtr tryFind(const ArtifactReference& reference);
    /// A graph larger than the bound is not cached.
    void insert(const GraphSnapshotPtr& graph);
    void erase(const ChangedCompiles& changed);
    [[nodiscard]] std::size_t nodes() const { return m_nodes; }

private:
    using Order = std::list<GraphSnapshotPtr>;
    void erase(std::map<ArtifactReference, Order::iterator>::iterator entry);

    std::size_t m_mostNodes;
    std::size_t m_nodes = 0;
    /// Most recently used first.
    Order m_order;
    std::map<ArtifactReference, Order::iterator> m_entries;
};

} // namespace aotscope::session
