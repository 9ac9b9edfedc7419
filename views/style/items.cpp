// Rows of lists, trees and tables, their headers, and the line around them.
#include "style/ink.h"
#include "style/parts.h"

#include <QPainter>
#include <QStyleOption>
#include <QTableView>

#include <algorithm>

namespace aotscope::views::style {

namespace {

constexpr int headerMargin = 6;
constexpr int arrowSide = 8;
constexpr int arrowGap = 4;

} // namespace

void paintItem(QPainter& painter, const QStyleOption& option, const QWidget* widget) {
    const Ink ink(option.palette);
    const auto* item = qstyleoption_cast<const QStyleOptionViewItem*>(&option);
    if ((option.state & QStyle::State_Selected) != 0) {
        painter.fillRect(option.rect, ink.selection);
    } else if (item != nullptr && item->backgroundBrush.style() != Qt::NoBrush) {
        painter.fillRect(option.rect, item->backgroundBrush);
    } else if ((option.state & QStyle::State_MouseOver) != 0 && (option.state & QStyle::State_Enabled) != 0 &&
               qobject_cast<const QTableView*>(widget) == nullptr) {
        painter.fillRect(option.rect, ink.hover);
    }
}

void paintHeader(QPainter& painter, const QStyleOptionHeader& option, const QStyle& base,
                 const QWidget* widget) {
    const Ink ink(option.palette);
    painter.fillRect(option.rect, ink.panel);
    if (option.orientation == Qt::Horizontal) {
        painter.fillRect(QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1), ink.line);
    }
    QStyleOptionHeaderV2 label;
    if (const auto* whole = qstyleoption_cast<const QStyleOptionHeaderV2*>(&option)) {
        label = *whole;
    } else {
        static_cast<QStyleOptionHeader&>(label) = option;
    }
    label.rect = option.rect.adjusted(headerMargin, 0, -headerMargin, 0);
    const bool lit = (option.state & QStyle::State_MouseOver) != 0;
    label.palette.setColor(QPalette::ButtonText, lit ? ink.text : ink.dimText);
    // In a table with selected cells Qt marks the column headers too. Only rows should look selected.
    label.state &= ~QStyle::State_On;
    if (option.sortIndicator != QStyleOptionHeader::None) {
        // Next to the text, wherever it is aligned.
        int left = label.rect.right() - arrowSide + 1;
        if ((option.textAlignment & (Qt::AlignRight | Qt::AlignHCenter)) == 0) {
            left = std::min(left,
                            label.rect.left() + option.fontMetrics.horizontalAdvance(option.text) + arrowGap);
        }
        const QRect arrow(left, label.rect.center().y() - arrowSide / 2, arrowSide, arrowSide);
        // Qt's "down" means ascending order.
        const bool grows = option.sortIndicator == QStyleOptionHeader::SortDown;
        paintMark(painter, grows ? Mark::Up : Mark::Down, arrow, label.palette.color(QPalette::ButtonText));
        label.rect.setRight(arrow.left() - arrowGap);
    }
    base.drawControl(QStyle::CE_HeaderLabel, &label, &painter, widget);
}

QSize headerSize(const QStyleOptionHeader& option) {
    const int arrow = option.sortIndicator != QStyleOptionHeader::None ? arrowSide + arrowGap : 0;
    return option.fontMetrics.size(0, option.text) + QSize(2 * headerMargin + arrow, 8);
}

void paintFrame(QPainter& painter, const QStyleOption& option, const QWidget* widget) {
    const Ink ink(option.palette);
    const bool popup = widget != nullptr && widget->isWindow();
    const bool focused = (option.state & QStyle::State_HasFocus) != 0;
    if (popup || focused) {
        painter.save();
        painter.setPen(popup ? ink.line : ink.accent);
        painter.drawRect(option.rect.adjusted(0, 0, -1, -1));
        painter.restore();
    }
}

} // namespace aotscope::views::style
