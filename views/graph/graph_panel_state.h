#pragma once

#include "common/empty_page.h"
#include "common/engine_client.h"
#include "common/log_list.h"
#include "common/request.h"
#include "common/selection_hub.h"
#include "common/theme.h"
#include "graph/graph_canvas.h"
#include "graph/graph_export.h"
#include "graph/graph_panel.h"
#include "graph/graph_search.h"
#include "graph/graph_views.h"

#include <functional>
#include <map>
#include <optional>

class QComboBox;
class QLabel;
class QToolButton;

namespace aotscope::views {

class Legend;
class Minimap;
class SearchBar;

/// The widgets of the Graph dock and their behaviour.
class GraphPanel::State : public QObject {
public:
    State(const ViewContext& context, GraphPanel* panel);

    [[nodiscard]] const session::LayoutSnapshotPtr& shown() const { return m_shown; }
    [[nodiscard]] std::vector<std::string> found() const;
    [[nodiscard]] std::vector<ir::NodeId> picked() const;
    void setPartition(const session::PartitionSnapshotPtr& split);
    void setRun(const session::RunSnapshotPtr& run);
    void setAllGroups(bool open);
    void openSearch();
    [[nodiscard]] PictureRequest picture(bool selectionOnly) const;
    [[nodiscard]] GraphViews& views();

private:
    /// The groups that a person opened and closed, per graph.
    struct Folds {
        std::set<std::string> open;
        std::set<std::string> closed;
    };

    /// All stages of a trace share one.
    [[nodiscard]] Folds& foldsOf(const session::ArtifactReference& graph);
    /// The trace whose stages are laid out together with the graph; nothing if the graph is not a stage.
    [[nodiscard]] std::optional<session::ArtifactReference>
    stagesOf(const session::ArtifactReference& graph) const;

    bool eventFilter(QObject* watched, QEvent* event) override;

    // Construction (graph_panel_build.cpp).
    QWidget* makeToolbar();
    QWidget* makeFooter();
    void connectEngine(EngineClient* engine);
    void connectCanvas();

    // The shown graph (graph_panel.cpp).
    void follow(const session::Selection& selection, QObject* source);
    void showWithoutGraph(const session::ArtifactReference& selected);
    void request(std::optional<GraphCanvas::Anchor> anchor = {});
    void take(const session::LayoutSnapshotPtr& snapshot);
    void showScene(const session::LayoutSnapshotPtr& snapshot, const GraphScenePtr& scene);
    void dropPicture();
    void keepView();
    void followRequest();
    void takeFailure(const QString& message, const std::function<void()>& explain);
    [[nodiscard]] bool showsWanted() const;
    void clear();
    void showHub(bool center);
    [[nodiscard]] ir::NodeId standsFor(BoxId box) const;
    void pick(BoxId box);
    void toggle(GroupId group);
    void moveToHit(int direction);
    void refreshBreadcrumb();
    void refreshStatus();
    void refreshZoom();
    void breadcrumbLink(const QString& link);
    [[nodiscard]] ir::NodeId hubNode() const;

    // Its look (graph_panel_look.cpp).
    [[nodiscard]] ColoringPtr coloringOf(const GraphScene& scene) const;
    void showMarks();
    void showSpotlight();
    void refreshHits();
    void refreshColors();
    void refreshMarks();
    void takeMarks();
    void showPartitionMarks();

    // Menu and export (graph_panel_menu.cpp).
    void showMenu(BoxId box, GroupId group, const QPoint& global);
    void addSubgraphActions(QMenu& menu, ir::NodeId node);
    void addExportActions(QMenu& menu);
    void save(bool svg, bool selectionOnly);
    void write(const QString& path, bool svg, bool selectionOnly);

    GraphPanel* m_panel;
    SelectionHub* m_hub;
    ThemeSource* m_theme;
    FileJobs* m_files;
    LogList* m_logs;
    GraphSearch* m_search;
    GraphCanvas* m_canvas;
    Minimap* m_minimap;
    EmptyPage* m_page = nullptr;
    SearchBar* m_searchBar;
    Legend* m_legend;
    QComboBox* m_grouping = nullptr;
    QComboBox* m_colorBy = nullptr;
    QToolButton* m_zoom = nullptr;
    QLabel* m_breadcrumb = nullptr;
    QLabel* m_status = nullptr;

    Request<session::LayoutSnapshotPtr> m_request;
    Request<session::SplitMarksSnapshotPtr> m_marksRequest;
    std::optional<session::ArtifactReference> m_wanted;
    /// The selection is not a graph, and the last graph is still shown.
    bool m_lookedAway = false;
    std::optional<GraphCanvas::Anchor> m_anchor;
    session::LayoutSnapshotPtr m_shown;
    /// Being prepared for the canvas.
    session::LayoutSnapshotPtr m_taken;
    session::RunSnapshotPtr m_run;
    session::PartitionSnapshotPtr m_split;
    /// The last answer. It is of the shown graph, but possibly of an earlier picture or partition.
    session::SplitMarksSnapshotPtr m_marks;
    std::map<session::ArtifactReference, Folds> m_folds;
    GraphViews m_views;
    QString m_savedMessage;
};

} // namespace aotscope::views
