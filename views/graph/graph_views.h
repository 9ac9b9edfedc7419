#pragma once

#include "graph/graph_canvas.h"
#include "session/reference.h"

#include <QVariantList>

#include <deque>
#include <optional>

namespace aotscope::views {

class LogList;

/// How a person looked at graphs last: which part, and how large. Of the last some hundred; a graph is known
/// by the path of its file and what it is called in it, so that it is the same in the next window.
class GraphViews {
public:
    void keep(const LogList& logs, const session::ArtifactReference& graph, const GraphCanvas::View& view);
    [[nodiscard]] std::optional<GraphCanvas::View> tryFind(const LogList& logs,
                                                           const session::ArtifactReference& graph) const;

    /// For the settings.
    [[nodiscard]] QVariantList toList() const;
    void takeList(const QVariantList& list);

private:
    struct Entry {
        QString graph;
        GraphCanvas::View view;
    };
    /// The last one first.
    std::deque<Entry> m_entries;
};

} // namespace aotscope::views
