#pragma once

#include "common/view_context.h"

class QMainWindow;

namespace aotscope::views {

class CommandList;
class GoToAnything;
class GraphExporter;
class JobStatus;
class LogFollower;
class LogOpener;
class PanelDocks;
class PanelLinks;
class RecentFiles;

/// The parts of the window that commands act on. The window owns them; they live as long as it.
struct WindowParts {
    QMainWindow* window = nullptr;
    ViewContext context;
    PanelDocks* docks = nullptr;
    PanelLinks* links = nullptr;
    LogOpener* opener = nullptr;
    LogFollower* follower = nullptr;
    RecentFiles* recent = nullptr;
    GraphExporter* exporter = nullptr;
    GoToAnything* goTo = nullptr;
    JobStatus* jobs = nullptr;
};

/// Fills the window's menu bar. Every entry is a command.
void addMenus(CommandList& commands, const WindowParts& parts);

/// The menus Run, Call and Step: actions on the shown graph, on calls of the selected compile's function, and
/// on the partition of its training step.
void addRunMenu(CommandList& commands, const WindowParts& parts);
void addCallMenu(CommandList& commands, const WindowParts& parts);
void addPartitionMenu(CommandList& commands, const WindowParts& parts);

/// Enables the possible commands, and renames those that do something else while a trace is paused.
void updateCommands(CommandList& commands, const WindowParts& parts);

} // namespace aotscope::views
