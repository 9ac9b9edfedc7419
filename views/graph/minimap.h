#pragma once

#include "graph/scene_painter.h"

#include <QPixmap>
#include <QWidget>

namespace aotscope::views {

class GraphCanvas;

/// An overview of the whole graph in a corner of the canvas, with a rectangle for the visible part; press or
/// drag to move there. Hidden while the whole graph is visible.
class Minimap : public QWidget {
    Q_OBJECT

public:
    explicit Minimap(GraphCanvas* canvas);

    /// Its size for a graph with these bounds.
    [[nodiscard]] static QSize sizeFor(const QRectF& bounds);
    /// Distance to the edges of the canvas, in pixels.
    static constexpr int gap = 12;
    /// Draws the overview again after a change of scene or colours.
    void refresh();
    [[nodiscard]] QRectF viewRect() const;

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void place();
    void viewChanged();
    void moveTo(const QPointF& pixel);
    [[nodiscard]] double scale() const;
    [[nodiscard]] QPointF offset() const;

    GraphCanvas* m_canvas;
    ScenePainter m_painter;
    GraphScenePtr m_scene;
    QPixmap m_picture;
    /// From the rectangle's middle to the point where it was grabbed, in pixels.
    QPointF m_grab;
};

} // namespace aotscope::views
