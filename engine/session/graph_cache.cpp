#include "session/graph_cache.h"

#include <algorithm>

namespace aotscope::session {

namespace {

/// In nodes. A text that could not be parsed costs by its length.
std::size_t costOf(const GraphSnapshot& graph) {
    constexpr std::size_t bytesPerNode = 200;
    const std::size_t nodes = graph.graph ? graph.graph->size() : 0;
    return std::max(nodes, graph.text.size() / bytesPerNode) + 1;
}

} // namespace

ChangedCompiles ChangedCompiles::all(std::uint32_t log) {
    ChangedCompiles changed;
    changed.m_log = log;
    changed.m_all = true;
    return changed;
}

ChangedCompiles ChangedCompiles::between(const LogSnapshot& before, const LogSnapshot& after) {
    if (!before.traceLog() || !after.traceLog()) {
        return all(after.log);
    }
    ChangedCompiles changed;
    changed.m_log = after.log;
    const auto old = before.traceLog()->compiles();
    const auto now = after.traceLog()->compiles();
    for (std::size_t i = 0; i < old.size() && i < now.size(); ++i) {
        if (old[i].records.size() != now[i].records.size()) {
            changed.m_changed.emplace(now[i].id, now[i].rank);
        }
    }
    return changed;
}

bool ChangedCompiles::concerns(const ArtifactReference& graph) const {
    return graph.log == m_log && (m_all || m_changed.contains({graph.compile, graph.rank}));
}

GraphSnapshotPtr GraphCache::tryFind(const ArtifactReference& reference) {
    const auto entry = m_entries.find(reference);
    if (entry == m_entries.end()) {
        return nullptr;
    }
    m_order.splice(m_order.begin(), m_order, entry->second);
    return *entry->second;
}

void GraphCache::insert(const GraphSnapshotPtr& graph) {
    if (const auto old = m_entries.find(graph->reference); old != m_entries.end()) {
        erase(old);
    }
    const std::size_t cost = costOf(*graph);
    if (cost > m_mostNodes) {
        return;
    }
    while (!m_order.empty() && m_nodes + cost > m_mostNodes) {
        erase(m_entries.find(m_order.back()->reference));
    }
    m_order.push_front(graph);
    m_entries.emplace(graph->reference, m_order.begin());
    m_nodes += cost;
}

void GraphCache::erase(const ChangedCompiles& changed) {
    for (auto entry = m_entries.begin(); entry != m_entries.end();) {
        const auto next = std::next(entry);
        if (changed.concerns(entry->first)) {
            erase(entry);
        }
        entry = next;
    }
}

void GraphCache::erase(std::map<ArtifactReference, Order::iterator>::iterator entry) {
    m_nodes -= costOf(**entry->second);
    m_order.erase(entry->second);
    m_entries.erase(entry);
}

} // namespace aotscope::session
