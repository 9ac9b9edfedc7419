// Edges, and what of them the backward computes again.
#include "graph/scene_painter_frame.h"

#include "graph/edge_shape.h"
#include "layout/picture_colors.h"

#include <QPainterPath>
#include <QPen>

#include <algorithm>
#include <cmath>

namespace aotscope::views {
namespace {

constexpr std::size_t mostFarEdges = 4'000;

void appendArrow(QPainterPath& path, const layout::Edge& edge) {
    if (edge.path.size() < 2) {
        return;
    }
    const auto toPoint = [](const layout::Point& point) { return QPointF(point.x, point.y); };
    const QPointF tip = toPoint(edge.path.back());
    QPointF back = toPoint(edge.path[edge.path.size() - 2]) - tip;
    const double length = std::hypot(back.x(), back.y());
    if (length < 1e-6) {
        return;
    }
    back /= length;
    const QPointF side(-back.y(), back.x());
    path.moveTo(tip);
    path.lineTo(tip + back * 7 + side * 3);
    path.lineTo(tip + back * 7 - side * 3);
    path.closeSubpath();
}

} // namespace

void ScenePainter::paintDataEdges(const Frame& frame) {
    const bool far = frame.zoom < farZoom;
    if (far && m_scene->dataEdges().size() > mostFarEdges) {
        return;
    }
    std::vector<const layout::Edge*> normal;
    std::vector<const layout::Edge*> faded;
    std::vector<const layout::Edge*> focused;
    std::vector<std::uint32_t> again;
    const std::vector<layout::Edge>& edges = m_scene->layout().edges;
    const auto add = [&](std::uint32_t index) {
        const layout::Edge& edge = edges[index];
        if (edge.path.empty() || !frame.shows(edge.from) || !frame.shows(edge.to)) {
            return;
        }
        const layout::EdgeMark mark =
            frame.look.marks ? frame.look.marks->split().edges[index] : layout::EdgeMark::Plain;
        if (mark == layout::EdgeMark::Banded) {
            return;
        }
        if (mark == layout::EdgeMark::Again) {
            again.push_back(index);
            return;
        }
        (frame.touches(edge.from, edge.to)     ? focused
         : frame.fadesLine(edge.from, edge.to) ? faded
                                               : normal)
            .push_back(&edge);
    };
    m_scene->dataEdges().forEachIn(frame.area, [&](std::uint32_t item) { add(m_scene->dataEdge(item)); });
    if (!far || m_scene->acrossEdges().size() <= mostFarEdges) {
        m_scene->acrossEdges().forEachIn(frame.area,
                                         [&](std::uint32_t item) { add(m_scene->acrossEdge(item)); });
    }
    const Theme& theme = frame.look.theme;
    const QColor line =
        mix(theme.background, theme.dimText, frame.zoom < textZoom ? 0.45 : layout::edgeShare);
    drawEdges(frame, faded, frame.tone(line, true), 1);
    drawEdges(frame, normal, line, 1);
    drawEdges(frame, focused, theme.accent, 1.6);
    if (!far) {
        paintAgainEdges(frame, again);
    }
}

/// In batches: a single path with all edges takes more than linear time and cannot be stopped.
void ScenePainter::drawEdges(const Frame& frame, const std::vector<const layout::Edge*>& edges,
                             const QColor& color, double width) {
    constexpr std::size_t together = 512;
    const bool withArrows = frame.zoom >= textZoom;
    const bool straight = frame.zoom < 0.3;
    QPen pen(color, width);
    pen.setCosmetic(true);
    for (std::size_t i = 0; i < edges.size() && !frame.stopped(); i += together) {
        QPainterPath lines;
        QPainterPath heads;
        for (std::size_t k = i; k < std::min(i + together, edges.size()); ++k) {
            appendPath(lines, edges[k]->path, straight);
            if (withArrows) {
                appendArrow(heads, *edges[k]);
            }
        }
        frame.painter.setPen(pen);
        frame.painter.setBrush(Qt::NoBrush);
        frame.painter.drawPath(lines);
        frame.painter.setPen(Qt::NoPen);
        frame.painter.setBrush(color);
        frame.painter.drawPath(heads);
    }
}

void ScenePainter::paintAgainEdges(const Frame& frame, const std::vector<std::uint32_t>& edges) {
    const Theme& theme = frame.look.theme;
    frame.painter.setBrush(Qt::NoBrush);
    for (const std::uint32_t index : edges) {
        if (frame.stopped()) {
            return;
        }
        const layout::Edge& edge = m_scene->layout().edges[index];
        const QColor full = theme.category(Category::Recomputed);
        const QColor color = frame.touches(edge.from, edge.to)
                                 ? full
                                 : frame.tone(mix(theme.background, full, layout::bandShare),
                                              frame.fadesLine(edge.from, edge.to));
        QPainterPath path;
        appendPath(path, edge.path, frame.zoom < 0.3);
        frame.painter.setPen(QPen(color, std::max(1.0, 1 / frame.zoom), Qt::DashLine, Qt::FlatCap));
        frame.painter.drawPath(path);
        m_painted.againEdges.push_back(index);
    }
}

} // namespace aotscope::views
