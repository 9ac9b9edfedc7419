#include "session/made_graphs.h"

#include "files/graph_snapshot.h"

namespace aotscope::session {

void MadeGraphs::insert(const RetraceSnapshotPtr& traced, const std::function<bool()>& isCurrent) {
    const std::lock_guard lock(m_mutex);
    if (traced->made && isCurrent()) {
        m_traced.insert_or_assign(traced->made->reference, traced);
    }
}

void MadeGraphs::insert(std::vector<Half> halves, const std::function<bool()>& isCurrent) {
    const std::lock_guard lock(m_mutex);
    if (!isCurrent()) {
        return;
    }
    for (Half& half : halves) {
        const ArtifactReference reference = half.reference;
        m_described.erase(reference);
        m_halves.insert_or_assign(reference, std::move(half));
    }
}

void MadeGraphs::insert(const GraphSnapshotPtr& described, const std::function<bool()>& isCurrent) {
    const std::lock_guard lock(m_mutex);
    if (isCurrent()) {
        m_halves.erase(described->reference);
        m_described.insert_or_assign(described->reference, described);
    }
}

void MadeGraphs::erase(const ArtifactReference& reference) {
    const std::lock_guard lock(m_mutex);
    m_halves.erase(reference);
    m_described.erase(reference);
}

void MadeGraphs::eraseLog(std::uint32_t log) {
    const std::lock_guard lock(m_mutex);
    const auto isOfLog = [log](const auto& entry) { return entry.first.log == log; };
    std::erase_if(m_traced, isOfLog);
    std::erase_if(m_halves, isOfLog);
    std::erase_if(m_described, isOfLog);
}

GraphSnapshotPtr MadeGraphs::tryFind(const ArtifactReference& reference) {
    Half half;
    {
        const std::lock_guard lock(m_mutex);
        if (const auto traced = m_traced.find(reference); traced != m_traced.end()) {
            return traced->second->made;
        }
        if (const auto known = m_described.find(reference); known != m_described.end()) {
            return known->second;
        }
        const auto found = m_halves.find(reference);
        if (found == m_halves.end()) {
            return nullptr;
        }
        half = found->second;
    }
    GraphSnapshotPtr described = describeGraph(half.reference, half.graph, {}, half.inputSources);
    const std::lock_guard lock(m_mutex);
    // Cache it only if the half was not replaced in the meantime; it is the right answer in either case.
    if (const auto found = m_halves.find(reference);
        found != m_halves.end() && found->second.graph == half.graph) {
        m_described.insert_or_assign(reference, described);
    }
    return described;
}

RetraceSnapshotPtr MadeGraphs::tryTrace(const ArtifactReference& reference) const {
    const std::lock_guard lock(m_mutex);
    const auto found = m_traced.find(reference);
    return found == m_traced.end() ? nullptr : found->second;
}

} // namespace aotscope::session
