#pragma once

#include "graph/scene_painter.h"

#include <QPixmap>
#include <QWidget>

namespace aotscope::views {

class GraphCanvas;

/// The whole graph, small, in a corner of the canvas, with a rectangle for what is on screen; press or drag
/// to go there. Hides itself when everything is on screen.
class Minimap : public QWidget {
    Q_OBJECT

public:
    explicit Minimap(GraphCanvas* canvas);

    /// Its size for a graph of these bounds.
    [[nodiscard]] static QSize sizeFor(const QRectF& bounds);
    /// From the canvas's edges.
    static constexpr int gap = 12;
    /// The scene or its colours changed: the small picture is drawn anew.
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
    /// From the middle of the rectangle to where it was grabbed, in pixels.
    QPointF m_grab;
};

} // namespace aotscope::views
