#pragma once

#include "contract/reference.h"
#include "contract/snapshots.h"

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace aotscope::session {

/// The compiles of a log whose records changed. What was computed from the others stays valid when a log
/// grows.
class ChangedCompiles {
public:
    /// For a log that was closed or replaced.
    [[nodiscard]] static ChangedCompiles all(std::uint32_t log);
    /// For a log that has only grown: the records of `after` begin with those of `before`.
    [[nodiscard]] static ChangedCompiles between(const LogSnapshot& before, const LogSnapshot& after);

    [[nodiscard]] bool concerns(const ArtifactReference& graph) const;

private:
    using Key = std::pair<load::CompileId, std::optional<std::int32_t>>;

    std::uint32_t m_log = 0;
    bool m_all = false;
    std::set<Key> m_changed;
};

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
