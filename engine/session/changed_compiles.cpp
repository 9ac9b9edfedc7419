#include "session/changed_compiles.h"

namespace aotscope::session {

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

} // namespace aotscope::session
