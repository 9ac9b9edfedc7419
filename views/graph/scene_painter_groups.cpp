// Frames and titles of groups.
#include "graph/scene_painter_frame.h"

#include "common/format.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPen>

#include <algorithm>

namespace aotscope::views {
namespace {

QFont farTitleFont(const SceneLook& look) {
    QFont font = look.nameFont;
    font.setPixelSize(11);
    return font;
}

} // namespace

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
        // The title stays visible while its frame is scrolled.
        const double top =
            std::clamp(frame.viewport.top(), rect.top(), std::max(rect.top(), rect.bottom() - bar));
        const double left =
            std::clamp(frame.viewport.left(), rect.left(), std::max(rect.left(), rect.right() - 160));
        found.push_back({id, QRectF(left + 1, top + 1, rect.right() - left - 2, bar - 1), top > rect.top()});
    }
}

/// At zooms where titles have no room in their frames, the titles of large frames are painted over the
/// picture at a readable size: the largest first, without overlaps.
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
    if (m_scene && look.titles && look.only.empty()) {
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

} // namespace aotscope::views
