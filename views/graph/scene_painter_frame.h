#pragma once

#include "base/progress.h"
#include "graph/scene_painter.h"

#include <QPainter>
#include <QPolygonF>

/// What the parts of ScenePainter share. Only they include this.
namespace aotscope::views {

/// From here on a box has two lines of text, and groups have their titles in their own place.
constexpr double fullTextZoom = 0.55;
/// Below, boxes are merged to the pixel.
constexpr double farZoom = 0.15;
constexpr double cornerRadius = 4;

/// What one call of paint works with.
struct ScenePainter::Frame {
    QPainter& painter;
    const SceneLook& look;
    /// In pixels.
    QRectF viewport;
    QPointF origin;
    double zoom;
    /// The visible part of the scene.
    QRectF area;
    /// Null on screen.
    base::Progress* progress = nullptr;

    [[nodiscard]] bool stopped() const { return progress != nullptr && progress->stopRequested(); }
    void report(std::size_t done, std::size_t total) const {
        if (progress != nullptr) {
            progress->report("painting", done, total);
        }
    }
    [[nodiscard]] bool shows(BoxId box) const { return look.only.empty() || look.only.contains(box.index()); }
    [[nodiscard]] bool faded(BoxId box) const {
        return !look.kept.empty() && !look.kept.contains(box.index());
    }
    [[nodiscard]] QColor tone(const QColor& color, bool fade) const {
        constexpr double fadedShare = 0.4;
        return fade ? mix(look.theme.background, color, fadedShare) : color;
    }
    [[nodiscard]] QPointF toPixel(const QPointF& point) const {
        return viewport.topLeft() + (point - origin) * zoom;
    }
    [[nodiscard]] QRectF toPixel(const QRectF& rect) const {
        return {toPixel(rect.topLeft()), rect.size() * zoom};
    }
};

/// The arrow head before a group's title: down for an open group.
[[nodiscard]] inline QPolygonF chevron(const QPointF& center, bool open) {
    constexpr double size = 3.5;
    if (open) {
        return QPolygonF({center + QPointF(-size, -size / 2), center + QPointF(size, -size / 2),
                          center + QPointF(0, size)});
    }
    return QPolygonF(
        {center + QPointF(-size / 2, -size), center + QPointF(size, 0), center + QPointF(-size / 2, size)});
}

} // namespace aotscope::views
