#pragma once

#include "contract/snapshots.h"
#include "graph/graph_canvas.h"

#include <QObject>

#include <optional>
#include <string>
#include <vector>

namespace aotscope::views {

class GraphSearch;
class SearchBar;
class ThemeSource;

/// The search in the shown graph: its bar, its hits in the picture, and the way from one hit to the next.
class GraphHits : public QObject {
    Q_OBJECT

public:
    GraphHits(GraphCanvas* canvas, const ThemeSource& theme, QObject* parent = nullptr);

    /// For the layout that owns it.
    [[nodiscard]] SearchBar* bar() const { return m_bar; }
    void open();
    /// Null: none.
    void setGraph(const session::GraphSnapshotPtr& graph);
    /// Marks the hits in the canvas's scene.
    void refresh();
    /// Names of the nodes that were found, in program order.
    [[nodiscard]] std::vector<std::string> names() const;
    /// The hit after a node, or before it if `direction` is negative; an invalid node: the first or the last.
    /// Nothing if there is no hit.
    [[nodiscard]] std::optional<ir::NodeId> step(int direction, ir::NodeId from);

Q_SIGNALS:
    /// Other nodes are found.
    void changed();
    /// A person wants the next hit, or the previous one.
    void stepRequested(int direction);

private:
    GraphCanvas* m_canvas;
    GraphSearch* m_search;
    SearchBar* m_bar;
    session::GraphSnapshotPtr m_graph;
};

} // namespace aotscope::views
