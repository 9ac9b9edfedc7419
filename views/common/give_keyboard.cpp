#include "common/give_keyboard.h"

#include <QVariant>
#include <QWidget>

namespace aotscope::views {

namespace {

constexpr const char* placeProperty = "keyboardPlace";

bool takesKeyboard(const QWidget& widget) {
    return (widget.focusPolicy() & Qt::TabFocus) != 0 && widget.isEnabled() && widget.isVisible();
}

} // namespace

void setKeyboardPlace(QWidget* panel, QWidget* place) {
    panel->setProperty(placeProperty, QVariant::fromValue(place));
}

QWidget* panelAround(QWidget* widget) {
    while (widget != nullptr && !widget->property(placeProperty).isValid()) {
        widget = widget->parentWidget();
    }
    return widget;
}

void giveKeyboard(QWidget* panel, Qt::FocusReason reason) {
    QWidget* wanted = panel;
    while (auto* place = wanted->property(placeProperty).value<QWidget*>()) {
        wanted = place;
    }
    QList<QWidget*> candidates = {wanted};
    candidates += panel->findChildren<QWidget*>(QLatin1String(emptyPageName));
    for (QWidget* next = panel->nextInFocusChain(); next != panel; next = next->nextInFocusChain()) {
        if (panel->isAncestorOf(next) && next->focusProxy() == nullptr) {
            candidates.append(next);
        }
    }
    for (QWidget* candidate : candidates) {
        if (takesKeyboard(*candidate)) {
            candidate->setFocus(reason);
            return;
        }
    }
}

} // namespace aotscope::views
