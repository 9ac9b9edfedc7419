// Marks for nodes that a stage added or changed: an outline, and a badge if it is readable.
#include "graph/scene_painter_frame.h"

#include "common/difference_style.h"
#include "common/format.h"

#include <QFontMetricsF>
#include <QPen>

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

} // namespace aotscope::views
