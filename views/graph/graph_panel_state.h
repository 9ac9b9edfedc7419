#pragma once

#include "common/request.h"
#include "common/selection_hub.h"
#include "graph/graph_canvas.h"
#include "graph/graph_folds.h"
#include "graph/graph_panel.h"
#include "graph/graph_views.h"

#include <functional>
#include <optional>

namespace aotscope::views {

class EmptyPage;
class EngineClient;
class GraphHits;
class GraphMenu;
class GraphToolbar;
class Legend;
class LogList;
class Minimap;
class PictureColoring;
class PictureSaver;
class PictureSelection;
class PictureStatus;

/// Which graph the Graph dock shows: follows the selection, requests the picture and puts it on the canvas.
/// Connects the dock's parts, each of which does one thing.
class GraphPanel::State : public QObject {
public:
    State(const ViewContext& context, GraphPanel* panel);

    [[nodiscard]] const session::LayoutSnapshotPtr& shown() const { return m_shown; }
    [[nodiscard]] GraphHits& hits() const { return *m_hits; }
    [[nodiscard]] const PictureSelection& selection() const { return *m_selection; }
    [[nodiscard]] PictureColoring& coloring() const { return *m_coloring; }
    [[nodiscard]] GraphMenu& menu() const { return *m_menu; }
    [[nodiscard]] const PictureSaver& saver() const { return *m_saver; }
    void setAllGroups(bool open);
    /// Includes the view of the shown graph.
    [[nodiscard]] GraphViews& views();

private:
    // Construction.
    void layOut(RequestBase* request);
    void connectEngine(EngineClient* engine);
    void connectCanvas();
    void connectMenu();

    // The request for the wanted graph.
    void follow(const session::Selection& selection, QObject* source);
    void showWithoutGraph(const session::ArtifactReference& selected);
    void request(std::optional<GraphCanvas::Anchor> anchor = {});
    void followRequest();
    void takeFailure(const QString& message, const std::function<void()>& explain);
    [[nodiscard]] bool showsWanted() const;
    /// The trace whose stages are laid out together with the graph; nothing if the graph is not a stage.
    [[nodiscard]] std::optional<session::ArtifactReference>
    stagesOf(const session::ArtifactReference& graph) const;
    /// The name of the graph's folds: all stages of a trace share one.
    [[nodiscard]] session::ArtifactReference foldsOf(const session::ArtifactReference& graph) const;

    // The shown picture.
    void take(const session::LayoutSnapshotPtr& snapshot);
    void showScene(const session::LayoutSnapshotPtr& snapshot, const GraphScenePtr& scene);
    void dropPicture();
    void keepView();
    void clear();
    void toggle(GroupId group);
    void pick(BoxId box);
    void pickNode(ir::NodeId node);
    /// Selects what a band carries: its largest value first, and with each further click the next.
    void pickBand(std::size_t band);
    /// The values of a band, the selected one, or else the largest, first.
    [[nodiscard]] std::vector<ir::NodeId> savedAlong(std::size_t band) const;
    void moveToHit(int direction);
    void followBreadcrumb(int subgraphDepth, const QString& module);
    void refreshBreadcrumb();

    GraphPanel* m_panel;
    SelectionHub* m_hub;
    LogList* m_logs;
    GraphCanvas* m_canvas;
    GraphToolbar* m_toolbar;
    GraphHits* m_hits;
    PictureSelection* m_selection;
    Legend* m_legend;
    Minimap* m_minimap;
    PictureColoring* m_coloring;
    PictureSaver* m_saver;
    GraphMenu* m_menu;
    EmptyPage* m_page;
    PictureStatus* m_status;

    Request<session::LayoutSnapshotPtr> m_request;
    std::optional<session::ArtifactReference> m_wanted;
    /// The selection is not a graph, and the last graph is still shown.
    bool m_lookedAway = false;
    std::optional<GraphCanvas::Anchor> m_anchor;
    session::LayoutSnapshotPtr m_shown;
    /// Being prepared for the canvas.
    session::LayoutSnapshotPtr m_taken;
    GraphFolds m_folds;
    GraphViews m_views;
};

} // namespace aotscope::views
