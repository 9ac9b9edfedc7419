// Boxes, their text, and search hits on them.
#include "graph/scene_painter_frame.h"

#include "common/difference_style.h"
#include "common/format.h"
#include "graph/graph_facts.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainterPath>
#include <QPen>

#include <algorithm>

namespace aotscope::views {
namespace {

constexpr double roundedZoom = 0.7;
constexpr double edgeBarWidth = 4;
constexpr std::size_t mostLabels = 4'000;

QStaticText staticText(const QString& text, const QFont& font) {
    QStaticText result(text);
    result.setTextFormat(Qt::PlainText);
    result.setPerformanceHint(QStaticText::AggressiveCaching);
    result.prepare(QTransform(), font);
    return result;
}

} // namespace

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
    for (std::size_t i = 0; i < visible.size() && !frame.stopped(); ++i) {
        frame.report(i, visible.size());
        paintBox(frame, BoxId(visible[i]));
    }
}

std::optional<Category> ScenePainter::kindBesideSaved(const Frame& frame, BoxId id) const {
    const Coloring& coloring = *frame.look.coloring;
    const layout::Box& box = m_scene->box(id);
    if (!box.node.valid() || !coloring.entries[coloring.entryOfBox[id.index()]].isSaved) {
        return std::nullopt;
    }
    const Category kind = m_scene->category(box.node);
    const bool isPlain = kind == Category::Temporary || kind == Category::Saved || kind == Category::Unknown;
    return isPlain ? std::nullopt : std::optional(kind);
}

void ScenePainter::paintBox(const Frame& frame, BoxId id) {
    QPainter& painter = frame.painter;
    const Theme& theme = frame.look.theme;
    const bool fade = frame.faded(id);
    const QRectF& rect = m_scene->rect(id);
    const QColor color = frame.tone(frame.look.coloring->colorOf(id), fade);
    if (frame.zoom < textZoom) {
        // Too small for text, the box is filled with its colour.
        painter.fillRect(rect, mix(frame.tone(theme.raised, fade), color, 0.75));
        paintSplit(frame, id);
        paintMark(frame, id);
        paintHits(frame, id);
        return;
    }
    const bool isGroup = m_scene->box(id).isGroup;
    // Numbers tint the whole box; categories only colour the edge.
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
            // A closed group is drawn as a stack.
            painter.setPen(QPen(border, 1));
            painter.setBrush(mix(theme.background, fill, 0.6));
            painter.drawRoundedRect(rect.adjusted(4, 4, 3, 3), cornerRadius, cornerRadius);
        }
        painter.setPen(Qt::NoPen);
        painter.setBrush(color);
        painter.drawRoundedRect(QRectF(rect.left(), rect.top(), 4 * edgeBarWidth, rect.height()),
                                cornerRadius, cornerRadius);
        if (const auto kind = kindBesideSaved(frame, id)) {
            // A saved parameter is both.
            painter.fillRect(
                QRectF(rect.left(), rect.center().y(), edgeBarWidth, rect.height() / 2 - cornerRadius),
                frame.tone(theme.category(*kind), fade));
        }
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
    paintSplit(frame, id);
    paintMark(frame, id);
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
    // Fill boxes of the same colour together, and each pixel only once.
    const Coloring& coloring = *frame.look.coloring;
    const std::size_t entries = coloring.entries.size();
    // Painted in this order: faded boxes, plain ones, then changed, added and found ones in one colour each.
    enum : std::size_t { Faded, Plain, Changed, Added, Found, LayerCount };
    std::vector<std::vector<QRectF>> rects(LayerCount * entries);
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
        const StageMark& mark = m_scene->mark(id);
        if (rect.height() * frame.zoom < 1.5 && !hit && !mark.any()) {
            const int x = std::clamp(int(pixel.x()), 0, width - 1);
            const int y = std::clamp(int(pixel.y()), 0, height - 1);
            const std::size_t cell = std::size_t(y) * std::size_t(width) + std::size_t(x);
            if (taken[cell]) {
                return;
            }
            taken[cell] = true;
        }
        const bool isAdded = mark.kind() == ir::NodeDifference::Kind::Added;
        const std::size_t layer = hit               ? Found
                                  : frame.faded(id) ? Faded
                                  : !mark.any()     ? Plain
                                  : isAdded         ? Added
                                                    : Changed;
        rects[layer * entries + coloring.entryOfBox[item]].emplace_back(
            rect.topLeft(),
            QSizeF(std::max(rect.width(), 1 / frame.zoom), std::max(rect.height(), 1 / frame.zoom)));
    });
    QPainter& painter = frame.painter;
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(Qt::NoPen);
    for (std::size_t i = 0; i < rects.size(); ++i) {
        if (!rects[i].empty()) {
            const std::size_t layer = i / entries;
            const QColor& color = coloring.entries[i % entries].color;
            const Theme& theme = frame.look.theme;
            using Kind = ir::NodeDifference::Kind;
            painter.setBrush(layer == Found     ? theme.warning
                             : layer == Added   ? differenceColor(Kind::Added, theme)
                             : layer == Changed ? differenceColor(Kind::Changed, theme)
                                                : frame.tone(color, layer == Faded));
            painter.drawRects(rects[i].data(), int(rects[i].size()));
        }
    }
}

} // namespace aotscope::views
