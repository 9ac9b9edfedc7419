#pragma once

#include "graph/choice_marks.h"
#include "graph/coloring.h"
#include "graph/graph_scene.h"
#include "graph/partition_marks.h"

#include <QFont>
#include <QRectF>
#include <QStaticText>

#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace aotscope::base {
class Progress;
} // namespace aotscope::base

class QPainter;
class QPainterPath;

namespace aotscope::views {

/// Everything that determines how a scene looks: colours and highlights.
struct SceneLook {
    Theme theme;
    QFont nameFont;
    QFont codeFont;
    ColoringPtr coloring;
    /// Null: there is no partition, so nothing is known to be saved.
    PartitionMarksPtr marks;
    /// Null: a person chose nothing.
    ChoiceMarksPtr choices;
    /// Drawn with a ring.
    BoxId current;
    BoxId hovered;
    /// The band under the mouse, in SplitMarks::bands.
    std::optional<std::size_t> hoveredBand;
    /// Boxes that keep their colour while all others fade; empty: nothing fades.
    std::unordered_set<std::uint32_t> kept;
    /// Edges at this box are highlighted.
    BoxId focus;
    /// Boxes picked by a rectangle.
    std::unordered_set<std::uint32_t> marked;
    /// Number of search hits per box; null: no search.
    std::shared_ptr<const std::vector<std::uint32_t>> hits;
    /// The group whose fold button the mouse is on.
    GroupId hoveredTitle;
    /// Paint group titles; an overview has no room for them.
    bool titles = true;
    /// If not empty, only these boxes and the edges between them are drawn (export of a selection).
    std::unordered_set<std::uint32_t> only;

    /// The default look with the application's fonts.
    [[nodiscard]] static SceneLook of(const Theme& theme);
};

/// What was painted: the words and marks in the picture, for what has to react to them and for tests, which
/// read a picture as a person does.
struct PaintedScene {
    struct Label {
        /// In SplitMarks::bands.
        std::size_t band = 0;
        QString text;
        /// In scene points.
        QRectF rect;
    };
    /// Indices in SplitMarks::bands. When zoomed far out bands between the same pixels are one line, of which
    /// the first is listed.
    std::vector<std::size_t> bands;
    std::vector<Label> labels;
    /// Indices of the layout's edges that are drawn as recomputation.
    std::vector<std::size_t> againEdges;
    /// Boxes with a mark: those that hold saved values, and those that are recomputed.
    std::vector<BoxId> saved;
    std::vector<BoxId> recomputed;
    struct Badge {
        BoxId box;
        QString text;
    };
    /// Marks of a person's choices.
    std::vector<Badge> badges;
};

/// Paints the visible part of a scene with as much detail as the zoom allows: text from 40 %, below that
/// frames and edges, and when zoomed far out boxes merged to pixels. The time per frame depends on what is
/// visible, not on the size of the graph. It caches shaped labels, so use one painter per thread.
class ScenePainter {
public:
    static constexpr double textZoom = 0.4;

    void setScene(GraphScenePtr scene);
    /// Paints the part of the scene in `viewport`; scene point = origin + pixel / zoom. Returns early, with
    /// an incomplete picture, when `progress` requests a stop.
    void paint(QPainter& painter, const SceneLook& look, const QRectF& viewport, const QPointF& origin,
               double zoom, base::Progress* progress = nullptr);
    /// What the last call of paint painted.
    [[nodiscard]] const PaintedScene& painted() const { return m_painted; }
    /// What was painted is of another scene, or of other marks, than what is painted next.
    void forgetPainted() { m_painted = {}; }
    /// A group's title with its place on screen.
    struct Title {
        GroupId group;
        QRectF rect;
        /// It overlaps boxes: its frame's top is scrolled out of view, or the picture is zoomed far out.
        bool overBoxes = false;
    };
    /// Titles in painting order; later ones are on top.
    [[nodiscard]] std::vector<Title> titles(const SceneLook& look, const QRectF& viewport,
                                            const QPointF& origin, double zoom) const;
    /// Call after fonts changed.
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
    void paintAgainEdges(const Frame& frame, const std::vector<std::uint32_t>& edges);
    static void drawEdges(const Frame& frame, const std::vector<const layout::Edge*>& edges,
                          const QColor& color, double width);
    void paintBands(const Frame& frame);
    void paintFarBands(const Frame& frame);
    void paintBand(const Frame& frame, std::uint32_t band);
    void paintBandLabels(const Frame& frame, std::vector<std::uint32_t>& bands);
    static void paintBandLabel(const Frame& frame, const PaintedScene::Label& label, bool fade);
    void paintBoxes(const Frame& frame);
    void paintBox(const Frame& frame, BoxId box);
    /// What a saved value is besides: a parameter, an input, an output.
    [[nodiscard]] std::optional<Category> kindBesideSaved(const Frame& frame, BoxId box) const;
    void paintBoxText(const Frame& frame, BoxId box, const QRectF& inside);
    void paintFarBoxes(const Frame& frame);
    void paintRings(const Frame& frame);
    void paintHits(const Frame& frame, BoxId box);
    /// What the partition and a person's choices mark on a box.
    void paintSplit(const Frame& frame, BoxId box);
    static void paintSaved(const Frame& frame, const QRectF& box, bool fade);
    static void paintRecomputed(const Frame& frame, const QRectF& box, bool fade);
    void paintChoice(const Frame& frame, BoxId box);
    void paintMark(const Frame& frame, BoxId box);

    GraphScenePtr m_scene;
    std::unordered_map<std::uint32_t, Label> m_labels;
    PaintedScene m_painted;
};

} // namespace aotscope::views
