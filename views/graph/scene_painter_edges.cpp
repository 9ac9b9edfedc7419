// Data edges, and the bands of saved tensors with their labels.
#include "graph/scene_painter_frame.h"

#include "common/format.h"
#include "layout/picture_colors.h"

#include <QFontMetricsF>
#include <QPainterPath>
#include <QPen>

#include <algorithm>
#include <cmath>

namespace aotscope::views {
namespace {

constexpr std::size_t mostFarEdges = 4'000;

QPointF toPoint(const layout::Point& point) {
    return {point.x, point.y};
}

void appendPath(QPainterPath& path, const layout::Edge& edge, bool straight) {
    if (edge.path.empty()) {
        return;
    }
    path.moveTo(toPoint(edge.path.front()));
    if (straight) {
        path.lineTo(toPoint(edge.path.back()));
        return;
    }
    for (std::size_t i = 1; i + 2 < edge.path.size(); i += 3) {
        path.cubicTo(toPoint(edge.path[i]), toPoint(edge.path[i + 1]), toPoint(edge.path[i + 2]));
    }
}

void appendArrow(QPainterPath& path, const layout::Edge& edge) {
    if (edge.path.size() < 2) {
        return;
    }
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

QPointF middleOf(const layout::Edge& edge) {
    const std::size_t segments = edge.path.size() < 4 ? 0 : (edge.path.size() - 1) / 3;
    if (segments == 0) {
        return edge.path.empty() ? QPointF() : toPoint(edge.path.front());
    }
    const std::size_t at = segments / 2 * 3;
    if (segments % 2 == 0) {
        return toPoint(edge.path[at]);
    }
    return (toPoint(edge.path[at]) + 3 * toPoint(edge.path[at + 1]) + 3 * toPoint(edge.path[at + 2]) +
            toPoint(edge.path[at + 3])) /
           8;
}

/// Position of a band's label: its middle, or the middle of its visible part.
QPointF labelPlace(const layout::Edge& edge, const QRectF& area) {
    const QPointF middle = middleOf(edge);
    if (area.contains(middle)) {
        return middle;
    }
    constexpr int samples = 16;
    std::vector<QPointF> seen;
    for (std::size_t i = 0; i + 3 < edge.path.size(); i += 3) {
        for (int k = 0; k <= samples; ++k) {
            const double t = double(k) / samples;
            const double s = 1 - t;
            const QPointF point =
                s * s * s * toPoint(edge.path[i]) + 3 * s * s * t * toPoint(edge.path[i + 1]) +
                3 * s * t * t * toPoint(edge.path[i + 2]) + t * t * t * toPoint(edge.path[i + 3]);
            if (area.contains(point)) {
                seen.push_back(point);
            }
        }
    }
    return seen.empty() ? middle : seen[seen.size() / 2];
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
    const std::vector<layout::Edge>& edges = m_scene->layout().edges;
    m_scene->dataEdges().forEachIn(frame.area, [&](std::uint32_t item) {
        const layout::Edge& edge = edges[m_scene->dataEdge(item)];
        if (!frame.shows(edge.from) || !frame.shows(edge.to)) {
            return;
        }
        const bool touches =
            frame.look.focus.valid() && (edge.from == frame.look.focus || edge.to == frame.look.focus);
        const bool fade = !touches && !frame.look.kept.empty();
        (touches ? focused : fade ? faded : normal).push_back(&edge);
    });
    const Theme& theme = frame.look.theme;
    const QColor line =
        mix(theme.background, theme.dimText, frame.zoom < textZoom ? 0.45 : layout::edgeShare);
    drawEdges(frame, faded, frame.tone(line, true), 1);
    drawEdges(frame, normal, line, 1);
    drawEdges(frame, focused, theme.accent, 1.6);
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
            appendPath(lines, *edges[k], straight);
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

void ScenePainter::paintSavedEdges(const Frame& frame) {
    const bool far = frame.zoom < farZoom;
    const Theme& theme = frame.look.theme;
    const QColor band = mix(theme.background, theme.category(Category::Saved), layout::bandShare);
    const std::vector<layout::Edge>& edges = m_scene->layout().edges;
    // When zoomed far out, bands between the same pixels are drawn once.
    std::unordered_set<std::uint64_t> seen;
    std::vector<std::uint32_t> labelled;
    QPainterPath thin;
    m_scene->savedEdges().forEachIn(frame.area, [&](std::uint32_t item) {
        const std::uint32_t index = m_scene->savedEdge(item);
        const layout::Edge& edge = edges[index];
        if (edge.path.empty() || !frame.shows(edge.from) || !frame.shows(edge.to)) {
            return;
        }
        if (far && !bytesAcross(frame, edge, index)) {
            return;
        }
        if (far) {
            const auto key = [&](const layout::Point& p) {
                const QPointF pixel = frame.toPixel(toPoint(p)) / 2;
                return (std::uint64_t(std::uint16_t(int(pixel.x()))) << 16) | std::uint16_t(int(pixel.y()));
            };
            if (seen.size() < mostFarEdges &&
                seen.insert(key(edge.path.front()) << 32 | key(edge.path.back())).second) {
                appendPath(thin, edge, true);
            }
            return;
        }
        labelled.push_back(index);
    });
    if (far) {
        QPen pen(mix(theme.background, band, frame.look.kept.empty() ? 0.6 : 0.3), 1);
        pen.setCosmetic(true);
        frame.painter.setPen(pen);
        frame.painter.setBrush(Qt::NoBrush);
        frame.painter.drawPath(thin);
        return;
    }
    const bool straight = frame.zoom < 0.3;
    frame.painter.setBrush(Qt::NoBrush);
    for (const bool focusPass : {false, true}) {
        for (const std::uint32_t index : labelled) {
            if (frame.stopped()) {
                return;
            }
            const layout::Edge& edge = edges[index];
            const bool touches =
                frame.look.focus.valid() && (edge.from == frame.look.focus || edge.to == frame.look.focus);
            if (touches != focusPass) {
                continue;
            }
            QPainterPath path;
            appendPath(path, edge, straight);
            paintBand(frame, edge, path, bytesAcross(frame, edge, index));
        }
    }
    if (frame.zoom >= textZoom) {
        paintBandLabels(frame, labelled);
    }
}

/// Bytes of an edge that the partition saves; nothing if it saves none.
std::optional<std::int64_t> ScenePainter::bytesAcross(const Frame& frame, const layout::Edge& edge,
                                                      std::size_t index) {
    return frame.look.marks ? frame.look.marks->carried[index] : edge.bytes;
}

void ScenePainter::paintBand(const Frame& frame, const layout::Edge& edge, const QPainterPath& path,
                             const std::optional<std::int64_t>& bytes) {
    const Theme& theme = frame.look.theme;
    const BoxId focus = frame.look.focus;
    const bool touches = focus.valid() && (edge.from == focus || edge.to == focus);
    const bool fade = !touches && !frame.look.kept.empty();
    const QColor full = theme.category(bytes ? Category::Saved : Category::Recomputed);
    const QColor color = touches ? full : frame.tone(mix(theme.background, full, layout::bandShare), fade);
    const double width = bytes ? layout::bandWidth(*bytes) : 1;
    frame.painter.setPen(
        QPen(color, std::max(width, 1 / frame.zoom), bytes ? Qt::SolidLine : Qt::DashLine, Qt::FlatCap));
    frame.painter.drawPath(path);
}

void ScenePainter::paintBandLabels(const Frame& frame, std::vector<std::uint32_t>& ids) {
    constexpr std::size_t most = 120;
    const std::vector<layout::Edge>& edges = m_scene->layout().edges;
    const auto rank = [&](std::uint32_t id) {
        const bool touches = edges[id].from == frame.look.focus || edges[id].to == frame.look.focus;
        return std::pair(frame.look.focus.valid() && touches, bytesAcross(frame, edges[id], id).value_or(0));
    };
    std::ranges::sort(ids, std::greater<>(), rank);
    const Theme& theme = frame.look.theme;
    const QFontMetricsF metrics(frame.look.codeFont);
    std::vector<QRectF> placed;
    frame.painter.setFont(frame.look.codeFont);
    for (const std::uint32_t id : ids) {
        const layout::Edge& edge = edges[id];
        if (placed.size() >= most) {
            break;
        }
        const std::int64_t bytes = rank(id).second;
        if (bytes <= 0) {
            continue;
        }
        const QString text = formatBytes(bytes);
        QRectF rect(QPointF(), QSizeF(metrics.horizontalAdvance(text) + 12, 16));
        rect.moveCenter(labelPlace(edge, frame.area));
        const bool taken = std::ranges::any_of(placed, [&](const QRectF& r) { return r.intersects(rect); });
        if (taken) {
            continue;
        }
        placed.push_back(rect.adjusted(-2, -2, 2, 2));
        const bool fade = !frame.look.kept.empty() && !rank(id).first;
        const QColor color = frame.tone(theme.category(Category::Saved), fade);
        frame.painter.setPen(QPen(color, 1));
        frame.painter.setBrush(theme.panel);
        frame.painter.drawRoundedRect(rect, 8, 8);
        frame.painter.setPen(frame.tone(theme.text, fade));
        frame.painter.drawText(rect, Qt::AlignCenter, text);
    }
}

} // namespace aotscope::views
