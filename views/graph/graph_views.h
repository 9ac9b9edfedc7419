#pragma once

#include "contract/reference.h"
#include "graph/graph_canvas.h"

#include <QVariantList>

#include <deque>
#include <optional>

namespace aotscope::views {

class LogList;

/// The last view (position and zoom) of some hundred graphs. A graph is identified by its file's path and its
/// name in the file, so that views survive a restart.
class GraphViews {
public:
    void keep(const LogList& logs, const session::ArtifactReference& graph, const GraphCanvas::View& view);
    [[nodiscard]] std::optional<GraphCanvas::View> tryFind(const LogList& logs,
                                                           const session::ArtifactReference& graph) const;

    /// For QSettings.
    [[nodiscard]] QVariantList toList() const;
    void takeList(const QVariantList& list);

private:
    struct Entry {
        QString graph;
        GraphCanvas::View view;
    };
    /// Most recent first.
    std::deque<Entry> m_entries;
};

} // namespace aotscope::views
