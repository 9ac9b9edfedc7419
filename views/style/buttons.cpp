// Push buttons, tool buttons, check boxes.
#include "style/ink.h"
#include "style/parts.h"

#include <QPainter>
#include <QStyleOption>

namespace aotscope::views::style {

namespace {

bool isDown(const QStyleOption& option) {
    return (option.state & (QStyle::State_Sunken | QStyle::State_On)) != 0;
}

bool isUnderMouse(const QStyleOption& option) {
    return (option.state & QStyle::State_MouseOver) != 0 && (option.state & QStyle::State_Enabled) != 0;
}

} // namespace

void paintPushButton(QPainter& painter, const QStyleOptionButton& option) {
    const Ink ink(option.palette);
    const bool flat = (option.features & QStyleOptionButton::Flat) != 0;
    const bool enabled = (option.state & QStyle::State_Enabled) != 0;
    const bool marked = (option.state & QStyle::State_HasFocus) != 0 ||
                        (enabled && (option.features & QStyleOptionButton::DefaultButton) != 0);
    QColor fill = flat ? QColor() : enabled ? ink.raised : ink.panel;
    fill = isUnderMouse(option) ? ink.hover : fill;
    fill = isDown(option) ? ink.selection : fill;
    const QColor border = marked ? ink.accent : flat ? QColor() : ink.line;
    paintBox(painter, option.rect, fill, border);
    if ((option.features & QStyleOptionButton::HasMenu) != 0) {
        constexpr int side = 10;
        const QRect arrow(option.rect.right() - side - 7, option.rect.center().y() - side / 2, side, side);
        paintMark(painter, Mark::Down, arrow, enabled ? ink.dimText : ink.line);
    }
}

void paintToolButton(QPainter& painter, const QStyleOption& option) {
    const Ink ink(option.palette);
    const QColor fill = isDown(option) ? ink.selection : isUnderMouse(option) ? ink.hover : QColor();
    const QColor border = (option.state & QStyle::State_HasFocus) != 0 ? ink.accent : QColor();
    if (fill.isValid() || border.isValid()) {
        paintBox(painter, option.rect, fill, border);
    }
}

void paintCheckBox(QPainter& painter, const QStyleOption& option) {
    const Ink ink(option.palette);
    const bool enabled = (option.state & QStyle::State_Enabled) != 0;
    const bool on = (option.state & QStyle::State_On) != 0;
    const bool partly = (option.state & QStyle::State_NoChange) != 0;
    const bool marked = isUnderMouse(option) || (option.state & QStyle::State_HasFocus) != 0;
    const QColor filled = enabled ? ink.accent : ink.line;
    const QColor border = on || marked ? filled : enabled ? ink.dimText : ink.line;
    paintBox(painter, option.rect, on ? filled : ink.background, border, 3);
    const QRectF inner = QRectF(option.rect).adjusted(2, 2, -2, -2);
    if (on) {
        paintMark(painter, Mark::Check, inner, ink.background);
    } else if (partly) {
        paintBox(painter, inner.adjusted(1, 4, -1, -4), filled, {}, 1);
    }
}

} // namespace aotscope::views::style
