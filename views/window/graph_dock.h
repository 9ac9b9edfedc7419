#pragma once

#include "common/view_context.h"
#include "contract/snapshots.h"

#include <QWidget>

#include <string>
#include <vector>

class QTabBar;
class QToolButton;

namespace aotscope::views {

class GraphPanel;

/// The Graph dock: tabs for the graphs of the current compile above the picture.
class GraphDock : public QWidget {
    Q_OBJECT

public:
    explicit GraphDock(const ViewContext& context, QWidget* parent = nullptr);

    [[nodiscard]] GraphPanel* panel() const { return m_panel; }
    [[nodiscard]] QTabBar* kinds() const { return m_kinds; }
    void moveKind(int by);

private:
    void follow();
    void followGraph();
    void showPartition();
    void choose(const std::string& artifact);

    ViewContext m_context;
    QTabBar* m_kinds;
    QToolButton* m_more;
    GraphPanel* m_panel;
    /// The graph of the picture: the last selected one. It stays while something else is selected.
    std::optional<session::ArtifactReference> m_graph;
    std::vector<std::string> m_names;
    bool m_following = false;
    /// The entries of the menu.
    std::vector<std::string> m_others;
};

} // namespace aotscope::views
