#include "graph/graph_views.h"

#include "common/format.h"
#include "common/log_list.h"

#include <algorithm>

namespace aotscope::views {

namespace {

constexpr std::size_t mostKept = 200;

/// Empty if its log was closed in the meantime.
QString nameOf(const LogList& logs, const session::ArtifactReference& graph) {
    const session::LogSnapshotPtr log = logs.tryLog(graph.log);
    return log ? text(log->path.string()) + QLatin1Char('\n') + referenceText(graph) : QString();
}

} // namespace

void GraphViews::keep(const LogList& logs, const session::ArtifactReference& graph,
                      const GraphCanvas::View& view) {
    const QString name = nameOf(logs, graph);
    if (name.isEmpty()) {
        return;
    }
    std::erase_if(m_entries, [&](const Entry& entry) { return entry.graph == name; });
    m_entries.push_front({name, view});
    if (m_entries.size() > mostKept) {
        m_entries.pop_back();
    }
}

std::optional<GraphCanvas::View> GraphViews::tryFind(const LogList& logs,
                                                     const session::ArtifactReference& graph) const {
    const auto found = std::ranges::find(m_entries, nameOf(logs, graph), &Entry::graph);
    return found == m_entries.end() ? std::nullopt : std::optional(found->view);
}

QVariantList GraphViews::toList() const {
    QVariantList list;
    for (const auto& [graph, view] : m_entries) {
        list.append(QVariant(QVariantList{graph, view.center, view.zoom}));
    }
    return list;
}

void GraphViews::takeList(const QVariantList& list) {
    for (const QVariant& each : list) {
        const QVariantList parts = each.toList();
        if (parts.size() == 3 && parts[2].toDouble() > 0 && m_entries.size() < mostKept) {
            m_entries.push_back({parts[0].toString(), {parts[1].toPointF(), parts[2].toDouble()}});
        }
    }
}

} // namespace aotscope::views
