// What changes under the mouse and keys: marks, arrows, rings.
#include "timeline/timeline_painter.h"

#include "common/format.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>

namespace aotscope::views {

using timeline::EventId;

void TimelinePainter::paintMarks(QPainter& painter, const TimelineLook& look, const QRect& area) const {
    const auto paintRange = [&](std::pair<std::int64_t, std::int64_t> range, const QColor& color) {
        const double begin = xOf(look, area, double(range.first));
        const double end = std::max(begin + 1, xOf(look, area, double(range.second)));
        QColor shade = color;
        shade.setAlphaF(0.12F);
        painter.fillRect(QRectF(begin, area.top() + rulerHeight, end - begin, area.height() - rulerHeight),
                         shade);
        painter.fillRect(QRectF(begin, area.top() + 2, end - begin, 3), color);
        painter.setPen(color);
        painter.drawLine(QPointF(begin, area.top()), QPointF(begin, area.bottom()));
        painter.drawLine(QPointF(end, area.top()), QPointF(end, area.bottom()));
        const QString words = formatNanoseconds(range.second - range.first);
        const double width = painter.fontMetrics().horizontalAdvance(words) + 8.0;
        const QRectF label((begin + end - width) / 2, area.top() + 5, width, rulerHeight - 6);
        painter.fillRect(label, look.theme.panel);
        painter.drawText(label, Qt::AlignCenter, words);
    };
    for (const auto& mark : look.marks) {
        paintRange(mark, look.theme.warning);
    }
    if (look.picked) {
        paintRange(*look.picked, look.theme.accent);
    }
}

void TimelinePainter::paintFlows(QPainter& painter, const TimelineLook& look, const QRect& area) const {
    if (!look.selected) {
        return;
    }
    constexpr std::size_t most = 200;
    const std::vector<timeline::Flow> flows = look.scene->timeline().flowsOf(*look.selected);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(look.theme.accent, 1.5));
    painter.setBrush(Qt::NoBrush);
    for (std::size_t at = 0; at < std::min(most, flows.size()); ++at) {
        const QRectF from = rectOf(look, area, flows[at].from);
        const QRectF to = rectOf(look, area, flows[at].to);
        const QPointF begin(from.right(), from.center().y());
        const QPointF end(to.left(), to.center().y());
        const double bend = std::clamp(std::abs(end.x() - begin.x()) / 2, 12.0, 120.0);
        QPainterPath path(begin);
        path.cubicTo(begin + QPointF(bend, 0), end - QPointF(bend, 0), end);
        painter.drawPath(path);
        painter.drawLine(end, end + QPointF(-6, -4));
        painter.drawLine(end, end + QPointF(-6, 4));
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void TimelinePainter::paintRings(QPainter& painter, const TimelineLook& look, const QRect& area) const {
    painter.setBrush(Qt::NoBrush);
    const auto ring = [&](EventId event, const QColor& color, double width) {
        QRectF box = rectOf(look, area, event);
        box.setLeft(std::max(box.left(), double(area.left()) - 4));
        box.setRight(std::min(box.right(), double(area.right()) + 4));
        painter.setPen(QPen(color, width));
        painter.drawRect(box.adjusted(-0.5, -0.5, 0.5, 0.5));
    };
    if (look.hovered && look.hovered != look.selected) {
        ring(*look.hovered, look.theme.text, 1);
    }
    if (look.selected) {
        ring(*look.selected, look.theme.accent, 2);
    }
}

} // namespace aotscope::views
