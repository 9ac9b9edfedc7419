#include "graph/graph_folds.h"

namespace aotscope::views {

void GraphFolds::apply(const session::ArtifactReference& graph, layout::LayoutOptions& options) const {
    if (const auto folds = m_folds.find(graph); folds != m_folds.end()) {
        options.openGroups = folds->second.open;
        options.closedGroups = folds->second.closed;
    }
}

void GraphFolds::toggle(const session::ArtifactReference& graph, const layout::Group& group) {
    Folds& folds = m_folds[graph];
    std::set<std::string>& into = group.open ? folds.closed : folds.open;
    std::set<std::string>& outOf = group.open ? folds.open : folds.closed;
    into.insert(group.path);
    outOf.erase(group.path);
}

void GraphFolds::setAll(const session::ArtifactReference& graph, const layout::Layout& shown, bool open) {
    Folds& folds = m_folds[graph];
    folds = {};
    for (const layout::Group& group : shown.groups) {
        (open ? folds.open : folds.closed).insert(group.path);
    }
}

void GraphFolds::eraseLog(std::uint32_t log) {
    std::erase_if(m_folds, [log](const auto& entry) { return entry.first.log == log; });
}

} // namespace aotscope::views
