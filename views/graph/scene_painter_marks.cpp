// Marks on boxes: what a stage added or changed, what a partition saves and computes again, and what a person
// chose.
#include "graph/scene_painter_frame.h"

#include "common/difference_style.h"
#include "common/format.h"

#include <QFontMetricsF>
#include <QPen>
#include <QPolygonF>

#include <algorithm>

namespace aotscope::views {
namespace {

using DifferenceKind = ir::NodeDifference::Kind;

/// "+" or "~"; for a group with the number of its nodes.
QString badgeText(const StageMark& mark, bool isGroup) {
    if (!isGroup) {
        return differenceGlyph(mark.kind());
    }
    QStringList parts;
    if (mark.added > 0) {
        parts.append(differenceGlyph(DifferenceKind::Added) + formatCount(mark.added));
    }
    if (mark.changed > 0) {
        parts.append(differenceGlyph(DifferenceKind::Changed) + formatCount(mark.changed));
    }
    return parts.join(QLatin1Char(' '));
}

} // namespace

void ScenePainter::paintMark(const Frame& frame, BoxId id) {
    const StageMark& mark = m_scene->mark(id);
    if (!mark.any()) {
        return;
    }
    QPainter& painter = frame.painter;
    const bool fade = frame.faded(id);
    const QColor color = frame.tone(differenceColor(mark.kind(), frame.look.theme), fade);
    const QRectF& rect = m_scene->rect(id);
    // Changed nodes have a dashed outline, so that the difference is not only in the colour.
    QPen pen(color, 1.5, mark.kind() == DifferenceKind::Added ? Qt::SolidLine : Qt::DashLine);
    pen.setCosmetic(true);
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(rect, cornerRadius, cornerRadius);
    if (frame.zoom < textZoom) {
        return;
    }
    constexpr double height = 14;
    constexpr double inset = 8;
    const QString text = badgeText(mark, m_scene->box(id).isGroup);
    const double width =
        std::max(height, QFontMetricsF(frame.look.nameFont).horizontalAdvance(text) + height / 2);
    const QRectF badge(rect.left() + inset, rect.top() - height / 2, width, height);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    painter.drawRoundedRect(badge, height / 2, height / 2);
    painter.setFont(frame.look.nameFont);
    painter.setPen(frame.look.theme.background);
    painter.drawText(badge, Qt::AlignCenter, text);
}

void ScenePainter::paintSplit(const Frame& frame, BoxId id) {
    const QRectF& rect = m_scene->rect(id);
    const bool fade = frame.faded(id);
    if (frame.look.marks && frame.look.marks->split().savedIn[id.index()] > 0) {
        paintSaved(frame, rect, fade);
        m_painted.saved.push_back(id);
    }
    if (frame.look.marks && frame.look.marks->split().recomputed[id.index()]) {
        paintRecomputed(frame, rect, fade);
        m_painted.recomputed.push_back(id);
    }
    paintChoice(frame, id);
}

/// The place on a box's side from which the bands of what it saves start.
void ScenePainter::paintSaved(const Frame& frame, const QRectF& box, bool fade) {
    const QColor color = frame.tone(frame.look.theme.category(Category::Saved), fade);
    const double width = std::max(4.0, 2 / frame.zoom);
    frame.painter.fillRect(QRectF(box.right() - width, box.top() + box.height() / 4, width, box.height() / 2),
                           color);
}

/// Marks a recomputed box: hatched if it is too small for text, else a badge with a circular arrow on its
/// corner.
void ScenePainter::paintRecomputed(const Frame& frame, const QRectF& box, bool fade) {
    QPainter& painter = frame.painter;
    const QColor color = frame.tone(frame.look.theme.category(Category::Recomputed), fade);
    if (frame.zoom < textZoom) {
        painter.fillRect(box, QBrush(color, Qt::BDiagPattern));
        return;
    }
    constexpr double radius = 8;
    constexpr double arrow = 3.8;
    const QPointF center(box.right() - 4, box.top());
    painter.setPen(QPen(color, 1.2));
    painter.setBrush(frame.look.theme.panel);
    painter.drawEllipse(center, radius, radius);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(color, 1.6));
    constexpr int sixteenths = 16;
    painter.drawArc(QRectF(center.x() - arrow, center.y() - arrow, 2 * arrow, 2 * arrow), 60 * sixteenths,
                    300 * sixteenths);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    const QPointF tip(center.x() + arrow, center.y());
    painter.drawPolygon(QPolygonF({tip + QPointF(-3, -0.5), tip + QPointF(3, -0.5), tip + QPointF(0, -4.5)}));
}

/// A pill that says what a person chose for the box, or what the choices changed there; dashed until the
/// engine has answered.
void ScenePainter::paintChoice(const Frame& frame, BoxId id) {
    const ChoiceMarks::Box* mark = frame.look.choices ? frame.look.choices->tryBox(id) : nullptr;
    if (mark == nullptr || (!mark->isForced() && !mark->isChanged())) {
        return;
    }
    QPainter& painter = frame.painter;
    const Theme& theme = frame.look.theme;
    const bool fade = frame.faded(id);
    const QColor color = frame.tone(theme.accent, fade);
    const QRectF& rect = m_scene->rect(id);
    QPen outline(color, mark->isForced() ? 2 : 1.5,
                 frame.look.choices->pending ? Qt::DashLine : Qt::SolidLine);
    outline.setCosmetic(true);
    painter.setPen(outline);
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(rect.adjusted(-1, -1, 1, 1), cornerRadius, cornerRadius);
    const QString words = choiceText(*mark, m_scene->box(id).isGroup);
    m_painted.badges.push_back({id, words});
    if (frame.zoom < textZoom) {
        return;
    }
    constexpr double height = 14;
    const double width = QFontMetricsF(frame.look.codeFont).horizontalAdvance(words) + height;
    const QRectF badge(rect.left() + 8, rect.bottom() - height / 2, width, height);
    painter.setPen(QPen(color, 1));
    painter.setBrush(mark->isForced() ? color : theme.panel);
    painter.drawRoundedRect(badge, height / 2, height / 2);
    painter.setFont(frame.look.codeFont);
    painter.setPen(mark->isForced() ? theme.background : frame.tone(theme.text, fade));
    painter.drawText(badge, Qt::AlignCenter, words);
}

} // namespace aotscope::views
