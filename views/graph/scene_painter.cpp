#include "graph/scene_painter.h"

#include "common/format.h"
#include "graph/graph_facts.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QGuiApplication>
#include <QPainter>
#include <QPainterPath>
#include <QPen>

#include <algorithm>
#include <array>
#include <cmath>

namespace aotscope::views {
namespace {

constexpr double fullTextZoom = 0.55;
constexpr double roundedZoom = 0.7;
constexpr double farZoom = 0.15;
constexpr double edgeBarWidth = 4;
constexpr double cornerRadius = 4;
constexpr double fadedShare = 0.4;
constexpr std::size_t mostFarEdges = 4'000;
constexpr std::size_t mostLabels = 4'000;

/// Bands grow with the logarithm of their bytes: 2 at a KiB, 12 at a GiB.
double bandWidth(std::int64_t bytes) {
    if (bytes <= 0) {
        return 2;
    }
    return std::clamp(2 + (std::log2(double(bytes)) - 10) * 0.5, 1.5, 12.0);
}

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

/// Where the label of a band goes: its middle, or the middle of what can be seen of it.
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

QFont farTitleFont(const SceneLook& look) {
    QFont font = look.nameFont;
    font.setPixelSize(11);
    return font;
}

QPolygonF chevron(const QPointF& center, bool open) {
    constexpr double size = 3.5;
    if (open) {
        return QPolygonF({center + QPointF(-size, -size / 2), center + QPointF(size, -size / 2),
                          center + QPointF(0, size)});
    }
    return QPolygonF(
        {center + QPointF(-size / 2, -size), center + QPointF(size, 0), center + QPointF(-size / 2, size)});
}

QStaticText staticText(const QString& text, const QFont& font) {
    QStaticText result(text);
    result.setTextFormat(Qt::PlainText);
    result.setPerformanceHint(QStaticText::AggressiveCaching);
    result.prepare(QTransform(), font);
    return result;
}

} // namespace

SceneLook SceneLook::of(const Theme& theme) {
    SceneLook look;
    look.theme = theme;
    look.nameFont = QGuiApplication::font();
    look.nameFont.setPixelSize(12);
    look.nameFont.setBold(true);
    look.nameFont.setHintingPreference(QFont::PreferNoHinting);
    look.codeFont = views::codeFont();
    look.codeFont.setPixelSize(11);
    look.codeFont.setHintingPreference(QFont::PreferNoHinting);
    return look;
}

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

    [[nodiscard]] bool shows(BoxId box) const { return look.only.empty() || look.only.contains(box.index()); }
    [[nodiscard]] bool faded(BoxId box) const {
        return !look.kept.empty() && !look.kept.contains(box.index());
    }
    [[nodiscard]] QColor tone(const QColor& color, bool fade) const {
        return fade ? mix(look.theme.background, color, fadedShare) : color;
    }
    [[nodiscard]] QPointF toPixel(const QPointF& point) const {
        return viewport.topLeft() + (point - origin) * zoom;
    }
    [[nodiscard]] QRectF toPixel(const QRectF& rect) const {
        return {toPixel(rect.topLeft()), rect.size() * zoom};
    }
};

void ScenePainter::setScene(GraphScenePtr scene) {
    m_scene = std::move(scene);
    m_labels.clear();
}

void ScenePainter::paint(QPainter& painter, const SceneLook& look, const QRectF& viewport,
                         const QPointF& origin, double zoom) {
    painter.fillRect(viewport, look.theme.background);
    if (!m_scene || zoom <= 0 || !look.coloring) {
        return;
    }
    const Frame frame{painter, look, viewport, origin, zoom, QRectF(origin, viewport.size() / zoom)};
    painter.save();
    painter.setClipRect(viewport);
    paintGroupFrames(frame);
    painter.translate(viewport.topLeft());
    painter.scale(zoom, zoom);
    painter.translate(-origin);
    painter.setRenderHint(QPainter::Antialiasing, zoom >= farZoom);
    paintDataEdges(frame);
    paintSavedEdges(frame);
    if (zoom < farZoom) {
        paintFarBoxes(frame);
    } else {
        paintBoxes(frame);
    }
    painter.restore();
    paintTitles(frame);
    paintRings(frame);
}

void ScenePainter::paintGroupFrames(const Frame& frame) {
    if (!frame.look.only.empty()) {
        return;
    }
    QPainter& painter = frame.painter;
    const Theme& theme = frame.look.theme;
    painter.setRenderHint(QPainter::Antialiasing, true);
    int depth = 0;
    for (const GroupId id : m_scene->frames()) {
        const QRectF area = m_scene->frame(id);
        if (!area.intersects(frame.area)) {
            continue;
        }
        depth = 0;
        for (GroupId up = m_scene->layout().groups[id.index()].parent; up.valid() && depth < 64;
             up = m_scene->layout().groups[up.index()].parent) {
            ++depth;
        }
        const QRectF rect = frame.toPixel(area);
        painter.setPen(QPen(theme.line, 1));
        painter.setBrush(mix(theme.background, theme.raised, std::min(0.35 + 0.2 * depth, 0.9)));
        if (rect.width() < 4 || rect.height() < 4) {
            painter.fillRect(rect, theme.raised);
            continue;
        }
        const double radius = std::min(6.0, 6 * frame.zoom);
        painter.drawRoundedRect(rect, radius, radius);
    }
}

void ScenePainter::nearTitles(const Frame& frame, std::vector<Title>& found) const {
    const double bar = GraphScene::titleHeight * frame.zoom;
    for (const GroupId id : m_scene->frames()) {
        const QRectF rect = frame.toPixel(m_scene->frame(id));
        if (!rect.intersects(frame.viewport) || rect.height() < bar + 4 || rect.width() < 32) {
            continue;
        }
        // The title stays in sight while its frame is scrolled through.
        const double top =
            std::clamp(frame.viewport.top(), rect.top(), std::max(rect.top(), rect.bottom() - bar));
        const double left =
            std::clamp(frame.viewport.left(), rect.left(), std::max(rect.left(), rect.right() - 160));
        found.push_back({id, QRectF(left + 1, top + 1, rect.right() - left - 2, bar - 1), top > rect.top()});
    }
}

/// Below the zoom where a title's own place can hold text, the titles of frames that are large enough lie
/// over the picture at a readable size, the largest first, none over another.
void ScenePainter::farTitles(const Frame& frame, std::vector<Title>& found) const {
    const QFontMetricsF metrics(farTitleFont(frame.look));
    for (const GroupId id : m_scene->frames()) {
        const QRectF rect = frame.toPixel(m_scene->frame(id)).intersected(frame.viewport);
        if (rect.height() < 40) {
            continue;
        }
        const QString title = text(m_scene->layout().groups[id.index()].title);
        const QRectF label(rect.topLeft() + QPointF(2, 2), QSizeF(metrics.horizontalAdvance(title) + 24, 16));
        const bool fits = label.width() + 4 <= rect.width();
        if (fits && std::ranges::none_of(found, [&](const Title& t) { return t.rect.intersects(label); })) {
            found.push_back({id, label, true});
        }
    }
}

std::vector<ScenePainter::Title> ScenePainter::titles(const SceneLook& look, const QRectF& viewport,
                                                      const QPointF& origin, double zoom) const {
    std::vector<Title> found;
    if (m_scene && look.only.empty()) {
        QPainter none;
        const Frame frame{none, look, viewport, origin, zoom, QRectF(origin, viewport.size() / zoom)};
        zoom >= fullTextZoom ? nearTitles(frame, found) : farTitles(frame, found);
    }
    return found;
}

void ScenePainter::paintNearTitle(const Frame& frame, const Title& title) {
    const layout::Group& group = m_scene->layout().groups[title.group.index()];
    QPainter& painter = frame.painter;
    const Theme& theme = frame.look.theme;
    QFont font = frame.look.nameFont;
    font.setPixelSize(int(std::clamp(12 * frame.zoom, 9.0, 24.0)));
    const bool hovered = frame.look.hoveredTitle == title.group;
    if (hovered || title.overBoxes) {
        painter.fillRect(title.rect, hovered ? theme.hover : theme.raised);
    }
    painter.setPen(Qt::NoPen);
    painter.setBrush(hovered ? theme.accent : theme.dimText);
    painter.drawPolygon(chevron(QPointF(title.rect.left() + 10, title.rect.center().y()), true));
    painter.setFont(font);
    painter.setPen(theme.text);
    const QFontMetricsF metrics(font);
    QRectF room = title.rect.adjusted(20, 0, -6, 0);
    const QString name =
        metrics.elidedText(QString::fromStdString(group.title), Qt::ElideMiddle, room.width());
    painter.drawText(room, Qt::AlignVCenter | Qt::AlignLeft, name);
    QString remark = group.isBackward ? QCoreApplication::translate("GraphView", "backward") : QString();
    if (group.derived) {
        remark += (remark.isEmpty() ? QString() : QStringLiteral(" · ")) +
                  QCoreApplication::translate("GraphView", "derived");
    }
    room.setLeft(room.left() + metrics.horizontalAdvance(name) + 8);
    font.setBold(false);
    if (!remark.isEmpty() && QFontMetricsF(font).horizontalAdvance(remark) < room.width()) {
        painter.setFont(font);
        painter.setPen(theme.dimText);
        painter.drawText(room, Qt::AlignVCenter | Qt::AlignLeft, remark);
    }
}

void ScenePainter::paintFarTitle(const Frame& frame, const Title& title) {
    const Theme& theme = frame.look.theme;
    QColor ground = frame.look.hoveredTitle == title.group ? theme.hover : theme.panel;
    ground.setAlphaF(0.88F);
    frame.painter.setFont(farTitleFont(frame.look));
    frame.painter.setPen(Qt::NoPen);
    frame.painter.setBrush(ground);
    frame.painter.drawRoundedRect(title.rect, 3, 3);
    frame.painter.setBrush(theme.dimText);
    frame.painter.drawPolygon(chevron(QPointF(title.rect.left() + 9, title.rect.center().y()), true));
    frame.painter.setPen(theme.text);
    frame.painter.drawText(title.rect.adjusted(18, 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft,
                           text(m_scene->layout().groups[title.group.index()].title));
}

void ScenePainter::paintTitles(const Frame& frame) {
    frame.painter.setRenderHint(QPainter::Antialiasing, true);
    for (const Title& title : titles(frame.look, frame.viewport, frame.origin, frame.zoom)) {
        frame.zoom >= fullTextZoom ? paintNearTitle(frame, title) : paintFarTitle(frame, title);
    }
}

void ScenePainter::paintDataEdges(const Frame& frame) {
    const bool far = frame.zoom < farZoom;
    if (far && m_scene->dataEdges().size() > mostFarEdges) {
        return;
    }
    QPainterPath normal;
    QPainterPath faded;
    QPainterPath focused;
    QPainterPath arrows;
    QPainterPath fadedArrows;
    QPainterPath focusedArrows;
    const bool withArrows = frame.zoom >= textZoom;
    const bool straight = frame.zoom < 0.3;
    const std::vector<layout::Edge>& edges = m_scene->layout().edges;
    m_scene->dataEdges().forEachIn(frame.area, [&](std::uint32_t item) {
        const layout::Edge& edge = edges[m_scene->dataEdge(item)];
        if (!frame.shows(edge.from) || !frame.shows(edge.to)) {
            return;
        }
        const bool touches =
            frame.look.focus.valid() && (edge.from == frame.look.focus || edge.to == frame.look.focus);
        const bool fade = !touches && !frame.look.kept.empty();
        appendPath(touches ? focused : fade ? faded : normal, edge, straight);
        if (withArrows) {
            appendArrow(touches ? focusedArrows : fade ? fadedArrows : arrows, edge);
        }
    });
    const Theme& theme = frame.look.theme;
    const auto draw = [&](const QPainterPath& lines, const QPainterPath& heads, const QColor& color,
                          double width) {
        if (lines.isEmpty()) {
            return;
        }
        QPen pen(color, width);
        pen.setCosmetic(true);
        frame.painter.setPen(pen);
        frame.painter.setBrush(Qt::NoBrush);
        frame.painter.drawPath(lines);
        frame.painter.setPen(Qt::NoPen);
        frame.painter.setBrush(color);
        frame.painter.drawPath(heads);
    };
    const QColor line = mix(theme.background, theme.dimText, frame.zoom < textZoom ? 0.45 : 0.75);
    draw(faded, fadedArrows, frame.tone(line, true), 1);
    draw(normal, arrows, line, 1);
    draw(focused, focusedArrows, theme.accent, 1.6);
}

void ScenePainter::paintSavedEdges(const Frame& frame) {
    const bool far = frame.zoom < farZoom;
    const Theme& theme = frame.look.theme;
    const QColor band = mix(theme.background, theme.category(Category::Saved), 0.7);
    const std::vector<layout::Edge>& edges = m_scene->layout().edges;
    // In the far view bands that begin and end in the same pixels are one.
    std::unordered_set<std::uint64_t> seen;
    std::vector<std::uint32_t> labelled;
    QPainterPath thin;
    m_scene->savedEdges().forEachIn(frame.area, [&](std::uint32_t item) {
        const std::uint32_t index = m_scene->savedEdge(item);
        const layout::Edge& edge = edges[index];
        if (edge.path.empty() || !frame.shows(edge.from) || !frame.shows(edge.to)) {
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
            const layout::Edge& edge = edges[index];
            const bool touches =
                frame.look.focus.valid() && (edge.from == frame.look.focus || edge.to == frame.look.focus);
            if (touches != focusPass) {
                continue;
            }
            QPainterPath path;
            appendPath(path, edge, straight);
            const bool fade = !touches && !frame.look.kept.empty();
            const QColor color = touches ? theme.category(Category::Saved) : frame.tone(band, fade);
            frame.painter.setPen(
                QPen(color, std::max(bandWidth(edge.bytes), 1 / frame.zoom), Qt::SolidLine, Qt::FlatCap));
            frame.painter.drawPath(path);
        }
    }
    if (frame.zoom >= textZoom) {
        paintBandLabels(frame, labelled);
    }
}

void ScenePainter::paintBandLabels(const Frame& frame, std::vector<std::uint32_t>& ids) {
    constexpr std::size_t most = 120;
    const std::vector<layout::Edge>& edges = m_scene->layout().edges;
    const auto rank = [&](std::uint32_t id) {
        const bool touches = edges[id].from == frame.look.focus || edges[id].to == frame.look.focus;
        return std::pair(frame.look.focus.valid() && touches, edges[id].bytes);
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
        if (edge.bytes <= 0) {
            continue;
        }
        const QString text = formatBytes(edge.bytes);
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

void ScenePainter::paintBoxes(const Frame& frame) {
    std::vector<std::uint32_t> visible;
    m_scene->boxes().forEachIn(frame.area, [&](std::uint32_t item) {
        if (frame.shows(BoxId(item))) {
            visible.push_back(item);
        }
    });
    std::ranges::sort(visible);
    if (m_labels.size() > mostLabels) {
        m_labels.clear();
    }
    for (const std::uint32_t item : visible) {
        paintBox(frame, BoxId(item));
    }
}

void ScenePainter::paintBox(const Frame& frame, BoxId id) {
    QPainter& painter = frame.painter;
    const Theme& theme = frame.look.theme;
    const bool fade = frame.faded(id);
    const QRectF& rect = m_scene->rect(id);
    const QColor color = frame.tone(frame.look.coloring->colorOf(id), fade);
    if (frame.zoom < textZoom) {
        // The text went first; now the box is its colour.
        painter.fillRect(rect, mix(frame.tone(theme.raised, fade), color, 0.75));
        paintHits(frame, id);
        return;
    }
    const bool isGroup = m_scene->box(id).isGroup;
    // Numbers on a ramp tint the whole box; a kind is told by the edge.
    const bool tinted = frame.look.coloring->by != ColorBy::Kind;
    QColor fill = mix(theme.background, theme.raised, fade ? 0.5 : 1);
    if (tinted) {
        fill = mix(fill, color, 0.25);
    }
    if (id == frame.look.hovered) {
        fill = mix(fill, theme.text, 0.08);
    }
    if (frame.zoom < roundedZoom) {
        painter.fillRect(rect, fill);
        painter.fillRect(QRectF(rect.topLeft(), QSizeF(edgeBarWidth, rect.height())), color);
    } else {
        const QColor border = frame.tone(theme.line, fade);
        if (isGroup) {
            // A closed group looks like a pile.
            painter.setPen(QPen(border, 1));
            painter.setBrush(mix(theme.background, fill, 0.6));
            painter.drawRoundedRect(rect.adjusted(4, 4, 3, 3), cornerRadius, cornerRadius);
        }
        painter.setPen(Qt::NoPen);
        painter.setBrush(color);
        painter.drawRoundedRect(QRectF(rect.left(), rect.top(), 4 * edgeBarWidth, rect.height()),
                                cornerRadius, cornerRadius);
        painter.setPen(QPen(border, 1));
        painter.setBrush(fill);
        QPainterPath body;
        const QRectF inner = rect.adjusted(edgeBarWidth, 0, 0, 0);
        body.moveTo(inner.topLeft());
        body.lineTo(inner.right() - cornerRadius, inner.top());
        body.quadTo(inner.topRight(), QPointF(inner.right(), inner.top() + cornerRadius));
        body.lineTo(inner.right(), inner.bottom() - cornerRadius);
        body.quadTo(inner.bottomRight(), QPointF(inner.right() - cornerRadius, inner.bottom()));
        body.lineTo(inner.bottomLeft());
        body.closeSubpath();
        painter.drawPath(body);
    }
    paintBoxText(frame, id, rect.adjusted(edgeBarWidth + 6, 0, -6, 0));
    paintHits(frame, id);
}

const ScenePainter::Label& ScenePainter::labelOf(const Frame& frame, BoxId id) {
    const auto [it, fresh] = m_labels.try_emplace(id.index());
    Label& made = it->second;
    if (!fresh) {
        return made;
    }
    const layout::Box& box = m_scene->box(id);
    const double width = m_scene->rect(id).width() - edgeBarWidth - 12;
    const QFontMetricsF nameMetrics(frame.look.nameFont);
    const QFontMetricsF codeMetrics(frame.look.codeFont);
    const layout::BoxText lines = layout::boxText(m_scene->graph(), m_scene->layout(), box);
    QString first = text(lines.name);
    QString second = text(lines.op);
    QString third = text(lines.value);
    if (box.isGroup && third.isEmpty() && m_scene->layout().groups[box.group.index()].derived) {
        third = QCoreApplication::translate("GraphView", "derived");
    }
    const double nameWidth = box.isGroup ? width - 14 : width;
    third = codeMetrics.elidedText(third, Qt::ElideMiddle, width * 0.68);
    made.thirdWidth = third.isEmpty() ? 0 : codeMetrics.horizontalAdvance(third);
    const double left = width - made.thirdWidth - (third.isEmpty() ? 0 : 8);
    made.first = staticText(nameMetrics.elidedText(first, Qt::ElideMiddle, nameWidth), frame.look.nameFont);
    made.second = staticText(codeMetrics.elidedText(second, Qt::ElideMiddle, left), frame.look.codeFont);
    made.third = staticText(third, frame.look.codeFont);
    return made;
}

void ScenePainter::paintBoxText(const Frame& frame, BoxId id, const QRectF& inside) {
    QPainter& painter = frame.painter;
    const Theme& theme = frame.look.theme;
    const bool fade = frame.faded(id);
    const Label& label = labelOf(frame, id);
    const bool twoLines = inside.height() >= 28 && frame.zoom >= fullTextZoom;
    const double firstHeight = label.first.size().height();
    const double secondHeight = label.second.size().height();
    const double total = twoLines ? firstHeight + secondHeight : firstHeight;
    const double top = inside.top() + (inside.height() - total) / 2;
    double left = inside.left();
    if (m_scene->box(id).isGroup) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(frame.tone(theme.dimText, fade));
        painter.drawPolygon(chevron(QPointF(left + 4, top + firstHeight / 2), false));
        left += 14;
    }
    painter.setPen(frame.tone(theme.text, fade));
    painter.setFont(frame.look.nameFont);
    painter.drawStaticText(QPointF(left, top), label.first);
    if (!twoLines) {
        return;
    }
    painter.setFont(frame.look.codeFont);
    painter.drawStaticText(QPointF(inside.left(), top + firstHeight), label.second);
    painter.setPen(frame.tone(theme.dimText, fade));
    painter.drawStaticText(QPointF(inside.right() - label.thirdWidth, top + firstHeight), label.third);
}

void ScenePainter::paintHits(const Frame& frame, BoxId id) {
    if (!frame.look.hits || (*frame.look.hits)[id.index()] == 0) {
        return;
    }
    const std::uint32_t count = (*frame.look.hits)[id.index()];
    QPainter& painter = frame.painter;
    const Theme& theme = frame.look.theme;
    const QRectF& rect = m_scene->rect(id);
    QPen pen(theme.warning, 1.5);
    pen.setCosmetic(true);
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(rect.adjusted(-2, -2, 2, 2), cornerRadius, cornerRadius);
    if (!m_scene->box(id).isGroup || frame.zoom < textZoom) {
        return;
    }
    const QString text = formatCount(count);
    QRectF badge(0, 0, QFontMetricsF(frame.look.codeFont).horizontalAdvance(text) + 10, 14);
    badge.moveCenter(QPointF(rect.right() - badge.width() / 2, rect.top()));
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.warning);
    painter.drawRoundedRect(badge, 7, 7);
    painter.setFont(frame.look.codeFont);
    painter.setPen(theme.background);
    painter.drawText(badge, Qt::AlignCenter, text);
}

void ScenePainter::paintFarBoxes(const Frame& frame) {
    // Boxes of one colour are filled together; a pixel that is taken is not filled again.
    const Coloring& coloring = *frame.look.coloring;
    const std::size_t entries = coloring.entries.size();
    std::vector<std::vector<QRectF>> rects(3 * entries);
    const int width = int(frame.viewport.width()) + 1;
    const int height = int(frame.viewport.height()) + 1;
    std::vector<bool> taken(std::size_t(width) * std::size_t(height), false);
    m_scene->boxes().forEachIn(frame.area, [&](std::uint32_t item) {
        const BoxId id(item);
        if (!frame.shows(id)) {
            return;
        }
        const QRectF& rect = m_scene->rect(id);
        const QPointF pixel = (rect.topLeft() - frame.origin) * frame.zoom;
        const bool hit = frame.look.hits && (*frame.look.hits)[item] > 0;
        if (rect.height() * frame.zoom < 1.5 && !hit) {
            const int x = std::clamp(int(pixel.x()), 0, width - 1);
            const int y = std::clamp(int(pixel.y()), 0, height - 1);
            const std::size_t cell = std::size_t(y) * std::size_t(width) + std::size_t(x);
            if (taken[cell]) {
                return;
            }
            taken[cell] = true;
        }
        const std::size_t layer = hit ? 2 : frame.faded(id) ? 0 : 1;
        rects[layer * entries + coloring.entryOfBox[item]].emplace_back(
            rect.topLeft(),
            QSizeF(std::max(rect.width(), 1 / frame.zoom), std::max(rect.height(), 1 / frame.zoom)));
    });
    QPainter& painter = frame.painter;
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(Qt::NoPen);
    for (std::size_t i = 0; i < rects.size(); ++i) {
        if (!rects[i].empty()) {
            const QColor& color = coloring.entries[i % entries].color;
            painter.setBrush(i >= 2 * entries ? frame.look.theme.warning : frame.tone(color, i < entries));
            painter.drawRects(rects[i].data(), int(rects[i].size()));
        }
    }
}

void ScenePainter::paintRings(const Frame& frame) {
    QPainter& painter = frame.painter;
    painter.save();
    painter.setClipRect(frame.viewport);
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setBrush(Qt::NoBrush);
    const auto ring = [&](BoxId id, const QColor& color, double width, Qt::PenStyle style) {
        if (!frame.shows(id) || !m_scene->rect(id).intersects(frame.area.adjusted(-4, -4, 4, 4))) {
            return;
        }
        QRectF rect = frame.toPixel(m_scene->rect(id));
        // In the far view the ring is what shows where the selection is.
        const double grow = std::max(0.0, (10 - std::min(rect.width(), rect.height())) / 2);
        rect = rect.adjusted(-2 - grow, -2 - grow, 2 + grow, 2 + grow);
        painter.setPen(QPen(color, width, style));
        const double radius = std::clamp((cornerRadius + 2) * frame.zoom, 2.0, 12.0);
        painter.drawRoundedRect(rect, radius, radius);
    };
    for (const std::uint32_t item : frame.look.marked) {
        ring(BoxId(item), frame.look.theme.accent, 1, Qt::DashLine);
    }
    if (frame.look.hovered.valid() && frame.look.hovered != frame.look.current) {
        ring(frame.look.hovered, frame.look.theme.dimText, 1, Qt::SolidLine);
    }
    if (frame.look.current.valid()) {
        ring(frame.look.current, frame.look.theme.accent, 2, Qt::SolidLine);
    }
    painter.restore();
}

} // namespace aotscope::views
