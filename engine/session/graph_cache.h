#pragma once

#include "session/changed_compiles.h"
#include "session/snapshots.h"

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>

namespace aotscope::session {

/// Parsed graphs by reference, bounded by their nodes: the least recently used leave first. Not thread-safe.
class GraphCache {
public:
    explicit GraphCache(std::size_t mostNodes) : m_mostNodes(mostNodes) {}

    /// Null when it is not there. Counts as a use.
    [[nodiscard]] GraphSnapshotPtr tryFind(const ArtifactReference& reference);
    /// A graph larger than the whole bound is not kept.
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
