// Line edits and combo boxes.
#include "style/ink.h"
#include "style/parts.h"

#include <QPainter>
#include <QStyleOption>

namespace aotscope::views::style {

namespace {

constexpr int arrowWidth = 18;

QColor borderOf(const QStyleOption& option, const Ink& ink) {
    return (option.state & QStyle::State_HasFocus) != 0 ? ink.accent : ink.line;
}

} // namespace

void paintLineEdit(QPainter& painter, const QStyleOptionFrame& option) {
    // A field without a frame is part of another widget, which painted the background.
    if (option.lineWidth > 0) {
        const Ink ink(option.palette);
        paintBox(painter, option.rect, ink.background, borderOf(option, ink));
    }
}

void paintComboBox(QPainter& painter, const QStyleOptionComboBox& option) {
    const Ink ink(option.palette);
    const bool enabled = (option.state & QStyle::State_Enabled) != 0;
    const bool hover = enabled && (option.state & QStyle::State_MouseOver) != 0;
    const QColor fill = option.editable ? ink.background : enabled ? ink.raised : ink.panel;
    if (option.frame) {
        paintBox(painter, option.rect, hover ? ink.hover : fill, borderOf(option, ink));
    }
    const QRect arrow = comboBoxPart(option, QStyle::SC_ComboBoxArrow);
    paintMark(painter, Mark::Down, QRectF(arrow.center().x() - 4, arrow.center().y() - 4, 9, 9),
              enabled ? ink.text : ink.dimText);
}

void paintComboBoxLabel(QPainter& painter, const QStyleOptionComboBox& option, const QStyle& style,
                        const QWidget* widget) {
    QRect place = style.subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, widget);
    if (option.editable) {
        return;
    }
    if (!option.currentIcon.isNull()) {
        const QRect icon =
            QStyle::alignedRect(option.direction, Qt::AlignLeft | Qt::AlignVCenter, option.iconSize, place);
        option.currentIcon.paint(&painter, icon);
        place.setLeft(icon.right() + 4);
    }
    const QString shown = option.fontMetrics.elidedText(option.currentText, Qt::ElideMiddle, place.width());
    style.drawItemText(&painter, place, Qt::AlignLeft | Qt::AlignVCenter, option.palette,
                       (option.state & QStyle::State_Enabled) != 0, shown, QPalette::ButtonText);
}

QRect comboBoxPart(const QStyleOptionComboBox& option, QStyle::SubControl part) {
    const QRect whole = option.rect;
    QRect result = whole;
    if (part == QStyle::SC_ComboBoxArrow) {
        result.setLeft(whole.right() - arrowWidth + 1);
    } else if (part == QStyle::SC_ComboBoxEditField) {
        result = whole.adjusted(option.editable ? 3 : 8, 2, -arrowWidth, -2);
    }
    return part == QStyle::SC_ComboBoxListBoxPopup ? whole
                                                   : QStyle::visualRect(option.direction, whole, result);
}

} // namespace aotscope::views::style
