#pragma once

#include <Qt>

class QWidget;

namespace aotscope::views {

/// Where the keyboard goes when a panel is gone to. No focus proxy, because Tab would jump from proxy to
/// proxy, past the fields between, and into what is hidden.
void setKeyboardPlace(QWidget* panel, QWidget* place);

/// Puts the keyboard into a panel: to its place when that is in sight, else to the page that says why it is
/// not, else to the first field that takes it.
void giveKeyboard(QWidget* panel, Qt::FocusReason reason);

/// The panel around a widget: the nearest that has a keyboard place; null: there is none.
[[nodiscard]] QWidget* panelAround(QWidget* widget);

/// Object name of the page that says what would be there.
inline constexpr const char* emptyPageName = "emptyPage";

} // namespace aotscope::views
