#include "window/menus.h"

#include "common/code_view.h"
#include "common/current_graph.h"
#include "common/engine_client.h"
#include "common/icons.h"
#include "common/log_list.h"
#include "common/panel_layout.h"
#include "common/plain_words.h"
#include "common/selection_hub.h"
#include "common/theme.h"
#include "graph/graph_panel.h"
#include "window/command_list.h"
#include "window/dock_content.h"
#include "window/go_to.h"
#include "window/graph_dock.h"
#include "window/graph_exporter.h"
#include "window/job_status.h"
#include "window/keys_dialog.h"
#include "window/log_follower.h"
#include "window/log_opener.h"
#include "window/panel_docks.h"
#include "window/recent_files.h"

#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QDockWidget>
#include <QFileInfo>
#include <QLineEdit>
#include <QMainWindow>
#include <QMenuBar>
#include <QMessageBox>

namespace aotscope::views {

namespace {

QString tr(const char* words) {
    return QCoreApplication::translate("Menus", words);
}

void fillRecentMenu(QMenu* menu, RecentFiles* recent, LogOpener* opener) {
    menu->clear();
    for (const QString& path : recent->paths()) {
        // Traces often have the same file name, so the folder is shown in the place of a key.
        const QFileInfo file(path);
        const QString title = file.fileName() + QLatin1Char('\t') + file.path();
        QAction* entry = menu->addAction(QString(title).replace(QLatin1Char('&'), QLatin1String("&&")),
                                         opener, [opener, path] { opener->open({path}); });
        entry->setToolTip(plainToolTip(path));
    }
    menu->setToolTipsVisible(true);
    menu->setEnabled(!recent->paths().isEmpty());
    if (!recent->paths().isEmpty()) {
        menu->addSeparator();
        menu->addAction(tr("Clear this list"), recent, &RecentFiles::clear);
    }
}

void addFileMenu(CommandList& commands, const WindowParts& parts) {
    QMenu* menu = parts.window->menuBar()->addMenu(tr("&File"));
    SelectionHub* selection = parts.context.selection;
    commands.add(menu, {.name = QStringLiteral("open"),
                        .title = tr("&Open…"),
                        .tip = tr("Open trace logs or graph files"),
                        .keys = {QKeySequence::Open},
                        .run = [parts] { parts.opener->openFileDialog(); },
                        .icon = "open"});
    commands.add(menu, {.name = QStringLiteral("openFolder"),
                        .title = tr("Open &folder…"),
                        .tip = tr("Open a folder with one log per rank"),
                        .keys = {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_O)},
                        .run = [parts] { parts.opener->openFolderDialog(); },
                        .icon = "folder"});
    QMenu* recent =
        menu->addMenu(themedIcon(QStringLiteral("recent"), *parts.context.theme), tr("Open &recent"));
    recent->setObjectName(QStringLiteral("recentMenu"));
    const auto fill = [recent, parts] { fillRecentMenu(recent, parts.recent, parts.opener); };
    fill();
    QObject::connect(parts.recent, &RecentFiles::changed, recent, fill);
    QAction* follow = commands.add(menu, {.name = QStringLiteral("follow"),
                                          .title = tr("Follow &growing logs"),
                                          .tip = tr("Keep reading open logs that are still being written"),
                                          .keys = {QKeySequence(Qt::CTRL | Qt::Key_L)},
                                          .run = [] {}});
    follow->setCheckable(true);
    follow->setChecked(parts.follower->enabled());
    QObject::connect(follow, &QAction::toggled, parts.follower, &LogFollower::setEnabled);
    menu->addSeparator();
    commands.add(
        menu,
        {.name = QStringLiteral("export"),
         .title = tr("&Export…"),
         .tip = tr("Write the graph, or the selection and its neighbours, as SVG, PNG, DOT, JSON or text"),
         .keys = {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_E)},
         .run = [parts] { parts.exporter->exportDialog(); },
         .isPossible = [parts] { return parts.context.graph->graph() != nullptr; },
         .icon = "export"});
    menu->addSeparator();
    commands.add(menu, {.name = QStringLiteral("closeLog"),
                        .title = tr("&Close log"),
                        .tip = tr("Close the log of the selection"),
                        .keys = {QKeySequence(Qt::CTRL | Qt::Key_W)},
                        .run =
                            [parts, selection] {
                                if (selection->current()) {
                                    parts.context.engine->send(
                                        session::CloseLog{selection->current()->artifact.log});
                                }
                            },
                        .isPossible = [selection] { return selection->current().has_value(); }});
    commands.add(menu, {.name = QStringLiteral("quit"),
                        .title = tr("&Quit"),
                        .tip = tr("Close the window"),
                        .keys = {QKeySequence(Qt::CTRL | Qt::Key_Q)},
                        .run = [parts] { parts.window->close(); }});
}

void addPanelCommands(CommandList& commands, QMenu* menu, PanelDocks* docks) {
    for (const PanelSpec& spec : docks->specs()) {
        const QString id = QLatin1String(spec.id);
        const QString title = docks->dock(id)->windowTitle();
        commands.add(menu, {.name = QStringLiteral("show-") + id,
                            .title = title,
                            .tip = tr("Show %1 and give it the keyboard focus").arg(title),
                            .keys = {QKeySequence(spec.key)},
                            .run = [docks, id] { docks->focusPanel(id); },
                            .icon = spec.icon});
    }
}

void addThemeMenu(CommandList& commands, QMenu* menu, ThemeSource* theme) {
    QMenu* themes = menu->addMenu(tr("&Theme"));
    auto* group = new QActionGroup(themes);
    struct ThemeChoice {
        const char* title;
        ThemeSource::Choice choice;
        Qt::Key key;
    };
    static constexpr ThemeChoice choices[] = {{"System", ThemeSource::Choice::System, Qt::Key_7},
                                              {"Light", ThemeSource::Choice::Light, Qt::Key_8},
                                              {"Dark", ThemeSource::Choice::Dark, Qt::Key_9}};
    for (const auto& [title, choice, key] : choices) {
        QAction* entry = commands.add(
            themes, {.name = QStringLiteral("theme") + QLatin1String(title),
                     .title = QLatin1String(title),
                     .tip = tr("Colours of the window: %1").arg(QString(QLatin1String(title)).toLower()),
                     .keys = {QKeySequence(Qt::CTRL | Qt::ALT | key)},
                     .run = [theme, choice = choice] { theme->choose(choice); }});
        entry->setCheckable(true);
        entry->setChecked(theme->choice() == choice);
        group->addAction(entry);
    }
}

void addViewMenu(CommandList& commands, const WindowParts& parts) {
    QMenu* menu = parts.window->menuBar()->addMenu(tr("&View"));
    PanelDocks* docks = parts.docks;
    const auto add = [&](const char* name, const QString& title, const QString& tip, const QKeySequence& key,
                         std::function<void()> run, const char* icon = nullptr) {
        commands.add(menu, {.name = QLatin1String(name),
                            .title = title,
                            .tip = tip,
                            .keys = {key},
                            .run = std::move(run),
                            .icon = icon});
    };
    addPanelCommands(commands, menu, docks);
    menu->addSeparator();
    GraphPanel* graph = docks->panel<GraphDock>()->panel();
    add("openGroups", tr("&Open all groups"), tr("Open every group of the graph that is shown"),
        Qt::CTRL | Qt::ALT | Qt::Key_O, [graph] { graph->openAllGroups(true); });
    add("closeGroups", tr("Close all &groups"), tr("Close every group of the graph that is shown"),
        Qt::CTRL | Qt::ALT | Qt::Key_C, [graph] { graph->openAllGroups(false); });
    menu->addSeparator();
    add("nextPanel", tr("Ne&xt panel"), tr("Give the next visible panel the keyboard focus"), Qt::Key_F6,
        [docks] { docks->movePanel(1); });
    add("previousPanel", tr("Pre&vious panel"), tr("Give the previous visible panel the keyboard focus"),
        Qt::SHIFT | Qt::Key_F6, [docks] { docks->movePanel(-1); });
    add("closePanel", tr("&Close the panel"),
        tr("Close the panel with the keyboard focus; its key shows it again"), Qt::SHIFT | Qt::Key_Escape,
        [docks] { docks->closePanel(); });
    add("floatPanel", tr("&Float the panel"),
        tr("Move the panel with the keyboard focus out of the window, or back"),
        Qt::CTRL | Qt::SHIFT | Qt::Key_D, [docks] { docks->floatPanel(); });
    QMenu* shown = menu->addMenu(tr("&Panels shown"));
    for (const PanelSpec& spec : docks->specs()) {
        shown->addAction(docks->dock(QLatin1String(spec.id))->toggleViewAction());
    }
    add(
        "resetLayout", tr("&Reset layout"), tr("Put all panels back in their original places"),
        Qt::CTRL | Qt::ALT | Qt::Key_0, [docks] { docks->resetArrangement(); }, "layout");
    addThemeMenu(commands, menu, parts.context.theme);
    add("fullScreen", tr("&Full screen"), tr("Fill the screen"), Qt::SHIFT | Qt::ALT | Qt::Key_Return,
        [window = parts.window] { window->setWindowState(window->windowState() ^ Qt::WindowFullScreen); });
}

void findInFocus(const WindowParts& parts) {
    for (QWidget* widget = parts.window->focusWidget(); widget; widget = widget->parentWidget()) {
        if (auto* code = qobject_cast<CodeView*>(widget)) {
            Q_EMIT code->findRequested();
            return;
        }
        auto* const dock = qobject_cast<DockContent*>(widget);
        if (auto* filter = dock ? dock->findChild<QLineEdit*>(filterFieldName()) : nullptr) {
            filter->setFocus(Qt::ShortcutFocusReason);
            filter->selectAll();
            return;
        }
    }
    parts.docks->panel<GraphDock>()->panel()->focusSearch();
}

void moveCompile(const ViewContext& context, int step) {
    const std::optional<session::Selection>& current = context.selection->current();
    const std::optional<load::CompileIndex> index =
        current ? context.logs->tryIndex(current->artifact) : std::nullopt;
    if (!index) {
        return;
    }
    const session::LogSnapshotPtr log = context.logs->tryLog(current->artifact.log);
    const auto next = static_cast<std::int64_t>(index->index()) + step;
    if (next >= 0 && next < static_cast<std::int64_t>(log->compiles().size())) {
        const session::ArtifactReference best = context.logs->bestArtifact(
            log->log, load::CompileIndex(static_cast<std::uint32_t>(next)), current->artifact.artifact);
        context.selection->select({best, {}});
    }
}

void addGoMenu(CommandList& commands, const WindowParts& parts) {
    QMenu* menu = parts.window->menuBar()->addMenu(tr("&Go"));
    SelectionHub* selection = parts.context.selection;
    const auto isOpen = [logs = parts.context.logs] { return !logs->logs().empty(); };
    const auto add = [&](const char* name, const QString& title, const QString& tip, const QKeySequence& key,
                         std::function<void()> run, std::function<bool()> isPossible = {},
                         const char* icon = nullptr) {
        commands.add(menu,
                     {QLatin1String(name), title, tip, {key}, std::move(run), std::move(isPossible), icon});
    };
    add(
        "goBack", tr("&Back"), tr("Back to what was selected before"), Qt::ALT | Qt::Key_Left,
        [selection] { selection->goBack(); }, [selection] { return selection->canGoBack(); }, "back");
    add(
        "goForward", tr("&Forward"), tr("Forward again"), Qt::ALT | Qt::Key_Right,
        [selection] { selection->goForward(); }, [selection] { return selection->canGoForward(); },
        "forward");
    menu->addSeparator();
    add(
        "goTo", tr("&Go to anything…"),
        tr("Go to a compile, graph, node (@) or source line (#) by parts of its name"), Qt::CTRL | Qt::Key_P,
        [parts] { parts.goTo->open(); }, isOpen, "search");
    add(
        "palette", tr("&Commands…"), tr("Every command by name"), Qt::CTRL | Qt::SHIFT | Qt::Key_P,
        [parts] { parts.goTo->openCommandPalette(); }, {}, "commands");
    add(
        "find", tr("F&ind"), tr("Find in the panel with the keyboard focus, else in the graph"),
        QKeySequence::Find, [parts] { findInFocus(parts); }, {}, "search");
    menu->addSeparator();
    add(
        "nextCompile", tr("&Next compile"), tr("Select the next compile"), Qt::CTRL | Qt::Key_PageDown,
        [parts] { moveCompile(parts.context, 1); }, isOpen);
    add(
        "previousCompile", tr("&Previous compile"), tr("Select the previous compile"),
        Qt::CTRL | Qt::Key_PageUp, [parts] { moveCompile(parts.context, -1); }, isOpen);
    auto* graphs = parts.docks->panel<GraphDock>();
    add(
        "nextGraph", tr("Next &graph of the compile"), tr("Next of Dynamo, joint, forward, backward"),
        Qt::ALT | Qt::Key_Down, [graphs] { graphs->moveKind(1); }, isOpen);
    add(
        "previousGraph", tr("Previous g&raph of the compile"),
        tr("Previous of Dynamo, joint, forward, backward"), Qt::ALT | Qt::Key_Up,
        [graphs] { graphs->moveKind(-1); }, isOpen);
}

void addHelpMenu(CommandList& commands, const WindowParts& parts) {
    QMenu* menu = parts.window->menuBar()->addMenu(tr("&Help"));
    commands.add(menu, {.name = QStringLiteral("keys"),
                        .title = tr("&Keys"),
                        .tip = tr("All commands and their keys"),
                        .keys = {QKeySequence(Qt::Key_F1), QKeySequence(Qt::SHIFT | Qt::Key_Question)},
                        .run = [&commands, parts] {
                            showKeys(commands.actions(), *parts.context.theme, parts.window);
                        }});
    commands.add(menu, {.name = QStringLiteral("about"),
                        .title = tr("&About"),
                        .tip = tr("Version of this program"),
                        .keys = {QKeySequence(Qt::SHIFT | Qt::Key_F1)},
                        .run = [parts] {
                            QMessageBox::about(parts.window, tr("About aotscope"),
                                               tr("<b>aotscope %1</b><br>Shows what PyTorch's compiler did.")
                                                   .arg(QApplication::applicationVersion()));
                        }});
}

} // namespace

void addMenus(CommandList& commands, const WindowParts& parts) {
    addFileMenu(commands, parts);
    addViewMenu(commands, parts);
    addGoMenu(commands, parts);
    addRunMenu(commands, parts);
    addCallMenu(commands, parts);
    addPartitionMenu(commands, parts);
    addHelpMenu(commands, parts);
}

} // namespace aotscope::views
