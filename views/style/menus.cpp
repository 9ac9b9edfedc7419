// The menu bar and menus.
#include "style/ink.h"
#include "style/parts.h"

#include <QPainter>
#include <QStyleOption>

#include <algorithm>

namespace aotscope::views::style {

namespace {

constexpr int before = 24;
constexpr int after = 24;
constexpr int beforeKeys = 24;
constexpr int separatorHeight = 9;
constexpr int iconSide = 16;

int underlines(const QStyle& style, const QStyleOption& option, const QWidget* widget) {
    const bool shown = style.styleHint(QStyle::SH_UnderlineShortcut, &option, widget) != 0;
    return shown ? Qt::TextShowMnemonic : Qt::TextHideMnemonic;
}

/// The check mark of an entry, or its icon if it has no check mark.
void paintLead(QPainter& painter, const QStyleOptionMenuItem& option, const QRect& place,
               const QColor& color) {
    const bool enabled = (option.state & QStyle::State_Enabled) != 0;
    if (option.checkType != QStyleOptionMenuItem::NotCheckable) {
        if (option.checked) {
            paintMark(painter, Mark::Check, QRectF(place.center().x() - 5, place.center().y() - 5, 12, 12),
                      color);
        }
        return;
    }
    option.icon.paint(&painter,
                      QStyle::alignedRect(option.direction, Qt::AlignCenter, {iconSide, iconSide}, place),
                      Qt::AlignCenter, enabled ? QIcon::Normal : QIcon::Disabled);
}

} // namespace

void paintMenuBarItem(QPainter& painter, const QStyleOptionMenuItem& option, const QStyle& style,
                      const QWidget* widget) {
    const Ink ink(option.palette);
    painter.fillRect(option.rect, ink.raised);
    if ((option.state & (QStyle::State_Selected | QStyle::State_Sunken)) != 0) {
        paintBox(painter, option.rect, ink.selection, {});
    }
    style.drawItemText(
        &painter, option.rect,
        Qt::AlignCenter | Qt::TextDontClip | Qt::TextSingleLine | underlines(style, option, widget),
        option.palette, (option.state & QStyle::State_Enabled) != 0, option.text, QPalette::ButtonText);
}

void paintMenuItem(QPainter& painter, const QStyleOptionMenuItem& option, const QStyle& style,
                   const QWidget* widget) {
    const Ink ink(option.palette);
    const QRect row = option.rect;
    const bool enabled = (option.state & QStyle::State_Enabled) != 0;
    if (option.menuItemType == QStyleOptionMenuItem::Separator) {
        painter.fillRect(QRect(row.left() + 8, row.center().y(), row.width() - 16, 1), ink.line);
        return;
    }
    if ((option.state & QStyle::State_Selected) != 0 && enabled) {
        paintBox(painter, row, ink.selection, {});
    }
    const QColor color = enabled ? ink.text : ink.dimText;
    const auto visual = [&](const QRect& rect) { return QStyle::visualRect(option.direction, row, rect); };
    paintLead(painter, option, visual(QRect(row.left(), row.top(), before, row.height())), color);
    const QStringList parts = option.text.split(QLatin1Char('\t'));
    painter.save();
    painter.setFont(option.font);
    painter.setPen(color);
    const int flags = Qt::AlignVCenter | Qt::TextDontClip | Qt::TextSingleLine;
    const QRect words = row.adjusted(before, 0, -after, 0);
    painter.drawText(visual(words),
                     flags | underlines(style, option, widget) |
                         int(QStyle::visualAlignment(option.direction, Qt::AlignLeft)),
                     parts.front());
    if (parts.size() > 1) {
        painter.setPen(ink.dimText);
        painter.drawText(visual(words.adjusted(0, 0, after - 8, 0)),
                         flags | int(QStyle::visualAlignment(option.direction, Qt::AlignRight)), parts[1]);
    }
    painter.restore();
    if (option.menuItemType == QStyleOptionMenuItem::SubMenu) {
        const QRect arrow = visual(QRect(row.right() - 16, row.center().y() - 4, 9, 9));
        paintMark(painter, option.direction == Qt::RightToLeft ? Mark::Left : Mark::Right, arrow, color);
    }
}

QSize menuItemSize(const QStyleOptionMenuItem& option, const QSize& contents) {
    if (option.menuItemType == QStyleOptionMenuItem::Separator) {
        return {10, separatorHeight};
    }
    const int keys = option.reservedShortcutWidth > 0 ? beforeKeys + option.reservedShortcutWidth : 0;
    const int words = option.text.contains(QLatin1Char('\t'))
                          ? option.fontMetrics.horizontalAdvance(option.text.section(QLatin1Char('\t'), 0, 0))
                          : contents.width();
    return {before + words + keys + after, std::max(contents.height(), option.fontMetrics.height()) + 8};
}

} // namespace aotscope::views::style
