#pragma once

#include "common/view_context.h"

#include <QKeyCombination>

#include <span>

class QWidget;

namespace aotscope::views {

/// Where a panel lies until a person moves it. Panels of one place are tabs there, in the order of the list.
enum class PanelPlace { Left, Middle, Right, BelowRight, Bottom };

/// What the window knows of a panel: its dock, its entry in the menu View, its key and its command are made
/// from this.
struct PanelSpec {
    /// What arrangements that were remembered, tests and `--panel` call it. A panel that gets another id is
    /// another panel to them.
    const char* id;
    const char* title;
    PanelPlace place;
    /// Brings it to the front. None that a desktop takes for itself (tst_window_panel_list holds the list).
    QKeyCombination key;
    /// Of resources/icons, without ".svg".
    const char* icon;
    QWidget* (*make)(const ViewContext& context);
};

/// Every panel of the window, in the order of the menu View. A new panel is a folder and a line here.
[[nodiscard]] std::span<const PanelSpec> panelSpecs();

} // namespace aotscope::views
