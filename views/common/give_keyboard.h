#pragma once

#include <Qt>

class QWidget;

namespace aotscope::views {

/// Sets the widget that gets the focus when a person goes to the panel. Not a focus proxy: with proxies Tab
/// would skip the fields in between and reach hidden widgets.
void setKeyboardPlace(QWidget* panel, QWidget* place);

/// Moves the focus into a panel: to its keyboard place if visible, else to the page that replaces it, else to
/// the first focusable field.
void giveKeyboard(QWidget* panel, Qt::FocusReason reason);

/// The panel that contains a widget: the nearest parent with a keyboard place; null if there is none.
[[nodiscard]] QWidget* panelAround(QWidget* widget);

/// Object name of the page shown while a panel has no content.
inline constexpr const char* emptyPageName = "emptyPage";

} // namespace aotscope::views
