#pragma once

#include "common/picture_accessible.h"
#include "common/view_context.h"
#include "graph/scene_painter.h"

#include <QImage>
#include <QPointF>
#include <QWidget>

#include <optional>
#include <vector>

namespace aotscope::views {

/// The picture of a graph: paints what is visible, pans, zooms, picks. Does not use the engine: the panel
/// sets scenes and reacts to the signals.
///
/// Wheel pans, Ctrl+wheel zooms at the cursor, drag pans, Shift+drag picks a rectangle, double-click centres
/// a node and opens or closes a group. Arrow keys or W A S D move along edges, Space fits, + − 0 zoom, F
/// centres.
class GraphCanvas : public QWidget, public PictureItems {
    Q_OBJECT

public:
    explicit GraphCanvas(const ThemeSource& theme, QWidget* parent = nullptr);

    /// A point of the picture that keeps its place on screen when the scene changes.
    struct Anchor {
        std::string path;
        bool isBackward = false;
    };
    /// Shows another scene. With an anchor that group keeps its place on screen, unless nothing of it would
    /// be visible there; otherwise `keepView` keeps the view. In all other cases, and if nothing would be
    /// visible, the beginning of the graph is shown at a readable size. `coloring` belongs to the scene; null
    /// if the scene is null.
    void setScene(const GraphScenePtr& scene, const ColoringPtr& coloring,
                  const std::optional<Anchor>& anchor = {}, bool keepView = false);
    [[nodiscard]] const GraphScenePtr& scene() const { return m_scene; }
    void setColoring(const ColoringPtr& coloring);
    /// Marks for the shown scene; null if the graph has no partition.
    void setMarks(const PartitionMarksPtr& marks);
    /// A person's choices, in the same scene; null: none.
    void setChoices(const ChoiceMarksPtr& choices);
    /// What the last picture showed, in scene points.
    [[nodiscard]] const PaintedScene& painted() const { return m_painter.painted(); }
    /// The band, or its label, at a pixel; an index in SplitMarks::bands.
    [[nodiscard]] std::optional<std::size_t> bandAt(const QPointF& pixel) const;
    [[nodiscard]] const SceneLook& look() const { return m_look; }
    /// Dims the picture while another graph is on its way.
    void setStale(bool stale);
    [[nodiscard]] bool isStale() const { return m_stale; }
    /// Number of search hits per box; null: no search.
    void setHits(std::shared_ptr<const std::vector<std::uint32_t>> hits);

    /// The box with a ring; invalid: none.
    [[nodiscard]] BoxId current() const { return m_look.current; }
    void setCurrent(BoxId box);
    /// Highlights a box as if the mouse were on it, without scrolling.
    void setHovered(BoxId box);
    /// Fades all other boxes, unless a box is hovered; nothing: no spotlight.
    void setSpotlight(std::optional<std::unordered_set<std::uint32_t>> boxes);
    /// Boxes picked by a rectangle, by Ctrl+click or by a group's title.
    [[nodiscard]] const std::unordered_set<std::uint32_t>& marked() const { return m_look.marked; }
    void clearMarked();

    [[nodiscard]] double zoom() const { return m_zoom; }
    /// The part of the scene on screen.
    [[nodiscard]] QRectF visibleArea() const;
    [[nodiscard]] QPointF toScene(const QPointF& pixel) const { return m_origin + pixel / m_zoom; }
    [[nodiscard]] QPointF toPixel(const QPointF& point) const { return (point - m_origin) * m_zoom; }
    [[nodiscard]] QRectF toPixel(const QRectF& rect) const;

    /// The scene point in the middle of the widget, and the zoom.
    struct View {
        QPointF center;
        double zoom = 1;
    };
    /// The view that a person set; nothing if it is the initial one.
    [[nodiscard]] std::optional<View> chosenView() const;
    void showAgain(const View& view);

    void fit();
    void zoomTo(double zoom, const QPointF& fixedPixel);
    void zoomBy(double factor);
    void centerOn(const QPointF& point);
    /// Centres a box and zooms in if it would be too small to read.
    void centerOn(BoxId box);
    void showArea(const QRectF& area);
    /// Scrolls as little as needed.
    void ensureVisible(BoxId box);
    /// Scrolls so that more than a corner of a newly opened group is visible.
    void ensureInside(const Anchor& group);

    /// The next box in a direction; invalid: none. Up and down follow edges to the nearest neighbour. Left
    /// and right prefer bands and edges across, then boxes in the same row.
    enum class Direction { Up, Down, Left, Right };
    [[nodiscard]] BoxId step(BoxId from, Direction direction) const;

    [[nodiscard]] QSize sizeHint() const override { return {900, 640}; }

    // PictureItems: the boxes, then the bands.
    [[nodiscard]] int itemCount() const override;
    [[nodiscard]] QString itemName(int item) const override;
    [[nodiscard]] QString itemDescription(int item) const override;
    [[nodiscard]] QRect itemRect(int item) const override;
    [[nodiscard]] std::optional<int> itemAt(QPoint place) const override;
    [[nodiscard]] std::optional<int> currentItem() const override;
    [[nodiscard]] bool isPicked(int item) const override;
    void chooseItem(int item) override;

Q_SIGNALS:
    /// A person picked this box; invalid: empty space.
    void picked(aotscope::layout::BoxId box);
    void hovered(aotscope::layout::BoxId box);
    void toggleGroup(aotscope::layout::GroupId group);
    void markedChanged();
    void viewChanged();
    void menuRequested(aotscope::layout::BoxId box, aotscope::layout::GroupId group, const QPoint& global);
    /// A person clicked this band.
    void bandPicked(std::size_t band);
    void bandMenuRequested(std::size_t band, const QPoint& global);
    void searchRequested();

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    enum class Drag { None, Maybe, Pan, Select };

    void refreshTheme();
    void setView(const QPointF& origin, double zoom);
    void showBeginning();
    /// The box of the first node that computes something.
    [[nodiscard]] BoxId firstBox() const;
    void refreshKept();
    void hoverAt(const QPointF& pixel);
    void setHoveredBand(std::optional<std::size_t> band);
    /// Boxes at the other ends of its edges and bands.
    [[nodiscard]] std::vector<BoxId> neighboursOf(BoxId box) const;
    [[nodiscard]] std::optional<std::size_t> bandOfItem(int item) const;
    /// The group title at a pixel, with its place. A title painted over boxes hides them.
    [[nodiscard]] std::optional<ScenePainter::Title> titleAt(const QPointF& pixel) const;
    [[nodiscard]] BoxId boxAt(const QPointF& pixel) const;
    [[nodiscard]] bool seesAnything() const;
    void finishSelect(const QRectF& pixels, bool add);
    /// Picks all boxes in an open group, including nested groups.
    void markGroup(GroupId group, bool add);
    void walk(Direction direction);
    void activate(BoxId box);
    [[nodiscard]] GroupId innermostGroup(BoxId box) const;
    [[nodiscard]] bool handleKey(QKeyEvent* event);
    [[nodiscard]] QString toolTipAt(const QPointF& pixel) const;
    [[nodiscard]] double smallestZoom() const;
    [[nodiscard]] BoxId alongEdges(BoxId from, Direction direction, bool across) const;
    [[nodiscard]] BoxId beside(BoxId from, Direction direction) const;

    const ThemeSource& m_theme;
    GraphScenePtr m_scene;
    ScenePainter m_painter;
    SceneLook m_look;
    std::optional<std::unordered_set<std::uint32_t>> m_spotlight;
    QPointF m_origin;
    double m_zoom = 1;
    bool m_stale = false;
    /// True until a person moves the view; until then the view is fitted to each new widget size.
    bool m_atBeginning = false;
    Drag m_drag = Drag::None;
    QPointF m_pressPixel;
    QPointF m_lastPixel;
};

} // namespace aotscope::views
