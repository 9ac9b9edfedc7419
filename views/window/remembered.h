#pragma once

#include "common/view_context.h"

class QSettings;

namespace aotscope::views {

class PanelDocks;

/// Saves the state of all panels for the next window: columns, sorting, splitters, filters, breakpoints, and
/// graph views. A table, splitter or filter is identified by its object name, else by its index among those
/// of its kind in the panel.
void rememberPanels(const PanelDocks& docks, const ViewContext& context, QSettings& settings);
/// Restores that state. What was not saved, or has another number of columns, keeps its default.
void restorePanels(const PanelDocks& docks, const ViewContext& context, QSettings& settings);

} // namespace aotscope::views
