#pragma once

#include "common/view_context.h"

#include <QKeyCombination>

#include <span>

class QWidget;

namespace aotscope::views {

/// The default place of a panel. Panels with the same place are tabs, in list order.
enum class PanelPlace { Left, Middle, Right, BelowRight, Bottom };

/// A panel of the window. Its dock, View menu entry, key and command are built from this.
struct PanelSpec {
    /// Used by remembered arrangements, tests and `--panel`, so changing it loses the panel's remembered
    /// place.
    const char* id;
    const char* title;
    PanelPlace place;
    /// Shows the panel. Must not be a key that desktops reserve (tst_window_panel_list lists these).
    QKeyCombination key;
    /// Name in resources/icons without ".svg".
    const char* icon;
    QWidget* (*make)(const ViewContext& context);
};

/// All panels, in the order of the View menu. A new panel is a folder and a line here.
[[nodiscard]] std::span<const PanelSpec> panelSpecs();

} // namespace aotscope::views
