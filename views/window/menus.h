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

/// The parts of the window that its commands reach. The window owns them; all live as long as it.
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

/// Fills the window's menu bar; every entry is a command.
void addMenus(CommandList& commands, const WindowParts& parts);

/// Run and Step: what is done to the graph that is shown, and to its training step.
void addRunMenu(CommandList& commands, const WindowParts& parts);
void addPartitionMenu(CommandList& commands, const WindowParts& parts);

/// What is possible now, and what the commands are called that mean another thing while a trace is paused.
void updateCommands(CommandList& commands, const WindowParts& parts);

} // namespace aotscope::views
