// Scroll bars, progress bars, tabs, and separators between parts of the window.
#include "style/ink.h"
#include "style/parts.h"

#include <QPainter>
#include <QStyleOption>

#include <algorithm>

namespace aotscope::views::style {

void paintScrollBar(QPainter& painter, const QStyleOptionSlider& option) {
    if (option.maximum <= option.minimum) {
        return;
    }
    const Ink ink(option.palette);
    const bool held = (option.activeSubControls & QStyle::SC_ScrollBarSlider) != 0 &&
                      (option.state & (QStyle::State_MouseOver | QStyle::State_Sunken)) != 0;
    const QRectF handle = QRectF(scrollBarPart(option, QStyle::SC_ScrollBarSlider)).adjusted(1, 1, -1, -1);
    paintBox(painter, handle, held ? ink.dimText : ink.line, {});
}

QRect scrollBarPart(const QStyleOptionSlider& option, QStyle::SubControl part) {
    constexpr int shortest = 24;
    const QRect whole = option.rect;
    const bool across = option.orientation == Qt::Horizontal;
    const int room = across ? whole.width() : whole.height();
    const qint64 range = qint64(option.maximum) - option.minimum;
    int length = room;
    if (range > 0) {
        length = int(qint64(room) * option.pageStep / (range + option.pageStep));
        length = std::min(room, std::max(shortest, length));
    }
    const int start = QStyle::sliderPositionFromValue(option.minimum, option.maximum, option.sliderPosition,
                                                      room - length, option.upsideDown);
    const auto span = [&](int from, int size) {
        const QRect rect = across ? QRect(whole.left() + from, whole.top(), size, whole.height())
                                  : QRect(whole.left(), whole.top() + from, whole.width(), size);
        return QStyle::visualRect(option.direction, whole, rect);
    };
    switch (part) {
    case QStyle::SC_ScrollBarSlider:
        return span(start, length);
    case QStyle::SC_ScrollBarSubPage:
        return span(0, start);
    case QStyle::SC_ScrollBarAddPage:
        return span(start + length, room - start - length);
    case QStyle::SC_ScrollBarGroove:
        return whole;
    default:
        return {};
    }
}

void paintProgress(QPainter& painter, const QStyleOptionProgressBar& option) {
    const Ink ink(option.palette);
    constexpr double radius = 3;
    constexpr double height = 6;
    const QRectF groove(option.rect.left(), option.rect.center().y() - height / 2 + 1, option.rect.width(),
                        height);
    paintBox(painter, groove, ink.background, {}, radius);
    const double range = double(option.maximum) - option.minimum;
    const double done =
        range > 0 ? std::clamp((double(option.progress) - option.minimum) / range, 0., 1.) : 0;
    if (done > 0) {
        QRectF filled = groove;
        filled.setWidth(std::max(2 * radius, groove.width() * done));
        paintBox(painter, filled, ink.accent, {}, radius);
    }
}

void paintTab(QPainter& painter, const QStyleOptionTab& option) {
    const Ink ink(option.palette);
    if ((option.state & QStyle::State_MouseOver) != 0 && (option.state & QStyle::State_Enabled) != 0) {
        painter.fillRect(option.rect, ink.hover);
    }
    if ((option.state & QStyle::State_Selected) != 0) {
        const QRect rect = option.rect;
        painter.fillRect(QRect(rect.left(), rect.bottom() - 1, rect.width(), 2), ink.accent);
    }
}

QPalette tabPalette(const QStyleOptionTab& option) {
    const Ink ink(option.palette);
    const bool lit = (option.state & (QStyle::State_Selected | QStyle::State_MouseOver)) != 0;
    const bool focused = (option.state & QStyle::State_HasFocus) != 0;
    QPalette palette = option.palette;
    palette.setColor(QPalette::WindowText, focused ? ink.accent : lit ? ink.text : ink.dimText);
    return palette;
}

void paintSeparator(QPainter& painter, const QStyleOption& option) {
    const Ink ink(option.palette);
    const bool hover = (option.state & QStyle::State_MouseOver) != 0;
    painter.fillRect(option.rect, hover ? ink.accent : ink.background);
}

} // namespace aotscope::views::style
