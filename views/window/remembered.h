#pragma once

class QSettings;

namespace aotscope::views {

class BreakpointList;
class PanelDocks;

/// Keeps how a person left the panels from one window to the next: columns and their order, sorting,
/// splitters, filters, where traces pause, and how large graphs were drawn. Of every panel in the docks: a
/// table, splitter or filter is known by its object name, or by which of its kind it is in the panel.
void rememberPanels(const PanelDocks& docks, const BreakpointList& breakpoints, QSettings& settings);
/// What is not there, or is of other columns than there are now, stays as it is.
void restorePanels(const PanelDocks& docks, BreakpointList& breakpoints, QSettings& settings);

} // namespace aotscope::views
