#pragma once

#include "base/progress.h"
#include "graph/scene_painter.h"

#include <QPainter>
#include <QPolygonF>

/// Shared by the source files of ScenePainter, and included by no others.
namespace aotscope::views {

/// From this zoom on boxes have two lines of text, and group titles have room in their frames.
constexpr double fullTextZoom = 0.55;
/// Below this zoom boxes are merged to pixels.
constexpr double farZoom = 0.15;
constexpr double cornerRadius = 4;

/// The arguments of one paint call.
struct ScenePainter::Frame {
    QPainter& painter;
    const SceneLook& look;
    /// In pixels.
    QRectF viewport;
    QPointF origin;
    double zoom;
    /// The visible part of the scene.
    QRectF area;
    /// Null when painting on screen.
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
    /// Whether an edge or a band belongs to the box in focus, and whether it is faded for another one.
    [[nodiscard]] bool touches(BoxId from, BoxId to) const {
        return look.focus.valid() && (from == look.focus || to == look.focus);
    }
    [[nodiscard]] bool fadesLine(BoxId from, BoxId to) const {
        return !look.kept.empty() && !touches(from, to);
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

/// The arrow head before a group's title; it points down for an open group.
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
