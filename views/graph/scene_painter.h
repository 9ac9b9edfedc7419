#pragma once

#include "graph/coloring.h"
#include "graph/graph_scene.h"
#include "graph/partition_marks.h"

#include <QFont>
#include <QRectF>
#include <QStaticText>

#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace aotscope::base {
class Progress;
} // namespace aotscope::base

class QPainter;
class QPainterPath;

namespace aotscope::views {

/// How a scene is to look now: colours, and what stands out.
struct SceneLook {
    Theme theme;
    QFont nameFont;
    QFont codeFont;
    ColoringPtr coloring;
    /// Null: the graph is not of a step; every value across is taken for saved.
    PartitionMarksPtr marks;
    /// Ringed.
    BoxId current;
    BoxId hovered;
    /// Boxes that keep their colour while the rest fades; empty: nothing fades.
    std::unordered_set<std::uint32_t> kept;
    /// Edges that touch this box stand out.
    BoxId focus;
    /// Boxes picked with a rectangle.
    std::unordered_set<std::uint32_t> marked;
    /// Search hits by box; null: no search.
    std::shared_ptr<const std::vector<std::uint32_t>> hits;
    /// The group whose fold button is under the mouse.
    GroupId hoveredTitle;
    /// Titles of groups are painted; an overview has no room for them.
    bool titles = true;
    /// When not empty only these boxes and the edges between them are drawn (export of a selection).
    std::unordered_set<std::uint32_t> only;

    /// With the fonts of the application.
    [[nodiscard]] static SceneLook of(const Theme& theme);
};

/// Paints the visible part of a scene with the detail its zoom can show: text from 40 %, frames and edges
/// below, and in the far view boxes merged to the pixel. The time a frame takes depends on what is visible,
/// not on the size of the graph. One painter per thread; it caches shaped labels.
class ScenePainter {
public:
    static constexpr double textZoom = 0.4;

    void setScene(GraphScenePtr scene);
    /// Paints the part of the scene that `viewport` shows: scene point = origin + pixel / zoom. Ends early,
    /// with half a picture, when `progress` says stop.
    void paint(QPainter& painter, const SceneLook& look, const QRectF& viewport, const QPointF& origin,
               double zoom, base::Progress* progress = nullptr);
    /// A group's title as it lies on screen.
    struct Title {
        GroupId group;
        QRectF rect;
        /// Over the boxes: kept in sight while its frame is scrolled through, or laid over a far picture.
        bool overBoxes = false;
    };
    /// Titles in the order painted, the later over the earlier.
    [[nodiscard]] std::vector<Title> titles(const SceneLook& look, const QRectF& viewport,
                                            const QPointF& origin, double zoom) const;
    /// Call when fonts have changed.
    void forgetLabels() { m_labels.clear(); }

private:
    struct Label {
        QStaticText first;
        QStaticText second;
        QStaticText third;
        double thirdWidth = 0;
    };
    struct Frame;

    const Label& labelOf(const Frame& frame, BoxId box);
    void paintGroupFrames(const Frame& frame);
    void paintNearTitle(const Frame& frame, const Title& title);
    void paintFarTitle(const Frame& frame, const Title& title);
    void nearTitles(const Frame& frame, std::vector<Title>& found) const;
    void farTitles(const Frame& frame, std::vector<Title>& found) const;
    void paintTitles(const Frame& frame);
    void paintDataEdges(const Frame& frame);
    static void drawEdges(const Frame& frame, const std::vector<const layout::Edge*>& edges,
                          const QColor& color, double width);
    void paintSavedEdges(const Frame& frame);
    void paintBandLabels(const Frame& frame, std::vector<std::uint32_t>& edges);
    void paintBoxes(const Frame& frame);
    void paintBox(const Frame& frame, BoxId box);
    void paintBoxText(const Frame& frame, BoxId box, const QRectF& inside);
    void paintFarBoxes(const Frame& frame);
    void paintRings(const Frame& frame);
    void paintHits(const Frame& frame, BoxId box);
    static void paintRecomputed(const Frame& frame, const QRectF& box, bool fade);
    static void paintBand(const Frame& frame, const layout::Edge& edge, const QPainterPath& path,
                          const std::optional<std::int64_t>& bytes);
    [[nodiscard]] static std::optional<std::int64_t> bytesAcross(const Frame& frame, const layout::Edge& edge,
                                                                 std::size_t index);
    void paintMark(const Frame& frame, BoxId box);

    GraphScenePtr m_scene;
    std::unordered_map<std::uint32_t, Label> m_labels;
};

} // namespace aotscope::views
