#include "common/current_graph.h"
#include "common/selection_hub.h"
#include "panels/inspector_panel.h"
#include "panels/run_panel.h"
#include "panels/text_panel.h"
#include "partition/current_partition.h"
#include "partition/saved_panel.h"
#include "partition/why_bar.h"
#include "retrace/retrace_panel.h"
#include "steps/current_call.h"
#include "timeline/timeline_panel.h"
#include "window/command_list.h"
#include "window/compile_settings_dialog.h"
#include "window/go_to.h"
#include "window/job_status.h"
#include "window/menus.h"
#include "window/panel_docks.h"
#include "window/panel_links.h"

#include <QCoreApplication>
#include <QMainWindow>
#include <QMenuBar>

namespace aotscope::views {

namespace {

QString words(const char* text) {
    return QCoreApplication::translate("Menus", text);
}

/// Adds commands to one menu.
class MenuOf {
public:
    MenuOf(CommandList& commands, const WindowParts& parts, const char* title)
        : m_commands(commands), m_menu(parts.window->menuBar()->addMenu(words(title))) {}

    void add(const char* name, const char* title, const char* tip, const QKeySequence& key,
             std::function<void()> run, std::function<bool()> isPossible = {}, const char* icon = nullptr) {
        add(name, title, tip, QList<QKeySequence>{key}, std::move(run), std::move(isPossible), icon);
    }
    void add(const char* name, const char* title, const char* tip, const QList<QKeySequence>& keys,
             std::function<void()> run, std::function<bool()> isPossible = {}, const char* icon = nullptr) {
        m_commands.add(m_menu, {QLatin1String(name), words(title), words(tip), keys, std::move(run),
                                std::move(isPossible), icon});
    }
    void addSeparator() { m_menu->addSeparator(); }

private:
    CommandList& m_commands;
    QMenu* m_menu;
};

bool showsGraph(const CurrentGraph& graph) {
    return graph.graph() && graph.graph()->graph;
}

constexpr const char* runTitle = "&Run the graph";
constexpr const char* runTip = "Run the shown graph node by node on synthetic inputs";
constexpr const char* stepTitle = "&Step to the next node";
constexpr const char* stepTip =
    "Step to the next node. Starts a paused re-trace (or a paused call, from Events and Wrappers) if "
    "none is running.";

constexpr const char* otherPartitionerTip = "Split with the other one of PyTorch's partitioners: min-cut, "
                                            "which is assumed where the log does not say, "
                                            "or the default one, which most backends of aot_autograd() use";

/// The one that is not used now; nothing: goes back from a chosen one.
std::optional<passes::Partitioner> otherPartitioner(const CurrentPartition& split) {
    if (split.choices().partitioner || !split.snapshot()) {
        return std::nullopt;
    }
    return split.snapshot()->options.partitioner == passes::Partitioner::Default
               ? passes::Partitioner::MinCut
               : passes::Partitioner::Default;
}

QString otherPartitionerTitle(const CurrentPartition& split) {
    const auto other = otherPartitioner(split);
    return split.choices().partitioner            ? words("Use no &chosen partitioner")
           : other == passes::Partitioner::MinCut ? words("Use &min-cut")
                                                  : words("Use the &default partitioner");
}

void addTraceCommands(MenuOf& menu, PanelDocks* docks) {
    auto* retrace = docks->panel<RetracePanel>();
    const auto show = [docks] { docks->focusPanel(QStringLiteral("retrace")); };
    menu.add("retrace", "R&e-trace the compile",
             "Compile the selected compile's Dynamo graph again, without Python",
             Qt::CTRL | Qt::SHIFT | Qt::Key_R, [show, retrace] {
                 show();
                 retrace->retraceCompile();
             });
    menu.add("retraceLog", "Re-trace the lo&g", "Compile every Dynamo graph of the selected log again",
             Qt::CTRL | Qt::SHIFT | Qt::Key_L, [show, retrace] {
                 show();
                 retrace->retraceLog();
             });
    menu.add("saveRetraced", "Save &what was traced…",
             "Write the graphs and metadata of what was traced again, and a report, into a folder",
             Qt::CTRL | Qt::ALT | Qt::Key_G, [retrace] { retrace->saveDialog(); });
}

/// Commands for breakpoints, and for resuming a paused trace.
void addDebuggerCommands(MenuOf& menu, const WindowParts& parts) {
    PanelDocks* docks = parts.docks;
    auto* retrace = docks->panel<RetracePanel>();
    using Answer = session::PauseAnswer::Kind;
    const auto isPaused = [retrace] { return retrace->paused(); };
    CurrentCall* call = parts.context.call;
    menu.add(
        "toggleBreakpoint", "Toggle &breakpoint", "Toggle a breakpoint at the current line, event or wrapper",
        Qt::Key_F9, [links = parts.links] { links->toggleBreakpoint(); },
        [graph = parts.context.graph, call] { return showsGraph(*graph) || call->function() != nullptr; });
    menu.add(
        "stepOperator", stepTitle, stepTip, Qt::Key_F10,
        [docks, retrace, call, links = parts.links] {
            if (links->callHasKeys()) {
                if (call->canStep()) {
                    call->step(steps::StepAnswer::Kind::Over);
                } else if (!call->calling()) {
                    links->callFunction(true);
                }
                return;
            }
            if (retrace->paused()) {
                retrace->answer(Answer::NextOperator);
                return;
            }
            docks->focusPanel(QStringLiteral("retrace"));
            retrace->moveCompile();
        },
        [retrace, call, selection = parts.context.selection] {
            const bool isOnItsWay = call->stepping() && !call->paused();
            return selection->current().has_value() && !isOnItsWay &&
                   (retrace->paused() || call->paused() || !retrace->running());
        });
    menu.add(
        "stepProgramNode", "Step &over to Dynamo's next node",
        "To the first node of the next node of Dynamo's graph", Qt::Key_F8,
        [retrace] { retrace->answer(Answer::NextProgramNode); }, isPaused);
    menu.add(
        "stepLine", "Step to the next source l&ine", "To the first node of another source line",
        Qt::SHIFT | Qt::Key_F8, [retrace] { retrace->answer(Answer::NextLine); }, isPaused);
    menu.add("nextStage", "Ne&xt stage of the trace",
             "To the next stage of the re-trace that changed something", Qt::Key_F7,
             [links = parts.links] { links->moveStage(1); });
    menu.add("previousStage", "Pre&vious stage of the trace",
             "To the previous stage of the re-trace that changed something", Qt::SHIFT | Qt::Key_F7,
             [links = parts.links] { links->moveStage(-1); });
}

} // namespace

void addRunMenu(CommandList& commands, const WindowParts& parts) {
    MenuOf menu(commands, parts, "&Run");
    PanelDocks* docks = parts.docks;
    auto* retrace = docks->panel<RetracePanel>();
    const CurrentGraph* graph = parts.context.graph;
    CurrentCall* call = parts.context.call;
    menu.add(
        "run", runTitle, runTip, Qt::Key_F5,
        [docks, retrace, call, links = parts.links] {
            if (links->callHasKeys() && call->paused()) {
                call->step(steps::StepAnswer::Kind::Resume);
                return;
            }
            if (retrace->paused()) {
                retrace->answer(session::PauseAnswer::Kind::Resume);
                return;
            }
            docks->focusPanel(QStringLiteral("run"));
            docks->panel<RunPanel>()->run();
        },
        [graph, retrace, call] {
            const bool isOnItsWay = call->stepping() && !call->paused();
            return (showsGraph(*graph) && !isOnItsWay) || retrace->paused() || call->paused();
        },
        "run");
    menu.add(
        "cancel", "&Cancel", "Stop what the engine is doing and what is being written",
        Qt::SHIFT | Qt::Key_F5, [jobs = parts.jobs] { jobs->cancelAll(); },
        [jobs = parts.jobs] { return jobs->busy(); }, "cancel");
    menu.add(
        "profile", "&Profile the graph",
        "Run the shown graph, or the training step it belongs to, under LibTorch's profiler",
        Qt::CTRL | Qt::SHIFT | Qt::Key_I,
        [docks] {
            docks->focusPanel(QStringLiteral("timeline"));
            docks->panel<TimelinePanel>()->profileSelected();
        },
        [docks] { return docks->panel<TimelinePanel>()->canProfile(); });
    addTraceCommands(menu, docks);
    menu.add(
        "compileSettings", "Compile se&ttings…",
        "Options of torch._functorch.config that everything here is compiled under, in place of the files'",
        Qt::CTRL | Qt::Key_Comma, [context = parts.context, window = parts.window] {
            CompileSettingsDialog::showFor(context, window);
        });
    addDebuggerCommands(menu, parts);
    menu.addSeparator();
    menu.add(
        "compare", "C&ompare with…", "Compare the shown graph with another", Qt::CTRL | Qt::Key_D,
        [goTo = parts.goTo] { goTo->askForComparison(); }, [graph] { return showsGraph(*graph); }, "compare");
}

void addCallMenu(CommandList& commands, const WindowParts& parts) {
    MenuOf menu(commands, parts, "&Debug");
    CurrentCall* call = parts.context.call;
    PanelLinks* links = parts.links;
    using Answer = steps::StepAnswer::Kind;
    const auto canCall = [call] { return call->function() != nullptr && !call->calling(); };
    const auto canStep = [call] { return call->canStep(); };
    const auto canGoBack = [call] {
        return call->canStep() && call->function() && call->function()->event > 0;
    };
    const auto step = [call](Answer kind) { return [call, kind] { call->step(kind); }; };
    menu.add(
        "call", "&Call the function",
        "Compile the selected compile's function and call it with synthetic inputs, with its backward",
        Qt::CTRL | Qt::SHIFT | Qt::Key_C, [links] { links->callFunction(false); }, canCall);
    menu.add(
        "stepThrough", "Step &through a call", "Call and pause at the first event",
        Qt::CTRL | Qt::ALT | Qt::Key_P, [links] { links->callFunction(true); }, canCall);
    menu.addSeparator();
    menu.add("stepInto", "Step &into", "To the next event of the call, into wrappers and fused kernels",
             Qt::Key_F11, step(Answer::Into), canStep);
    menu.add("stepOut", "Step &out", "Out of the fused kernel, or to the exit of the wrapper around",
             Qt::SHIFT | Qt::Key_F11, step(Answer::Out), canStep);
    menu.add("stepBack", "Step &back", "Back in time by one event, over wrappers and fused kernels",
             Qt::SHIFT | Qt::Key_F10, step(Answer::BackOver), canGoBack);
    menu.add("stepBackInto", "Step back i&nto", "Back in time by one event, into wrappers and fused kernels",
             Qt::CTRL | Qt::SHIFT | Qt::Key_F11, step(Answer::BackInto), canGoBack);
    menu.add("stepBackOut", "Step bac&k out",
             "Back in time to the start of the fused kernel, or of the wrapper around",
             Qt::ALT | Qt::SHIFT | Qt::Key_F11, step(Answer::BackOut), canGoBack);
    menu.add("resumeBack", "&Resume back in time",
             "Back to the breakpoint before, or to the start of the call", Qt::CTRL | Qt::SHIFT | Qt::Key_F5,
             step(Answer::ResumeBack), canGoBack);
    menu.add(
        "runToCursor", "R&un to the cursor", "To the row of Events, or to the selected node",
        QList<QKeySequence>{Qt::CTRL | Qt::SHIFT | Qt::Key_F10, Qt::CTRL | Qt::Key_F10},
        [links] { links->runToCursor(); }, canStep);
}

void addPartitionMenu(CommandList& commands, const WindowParts& parts) {
    MenuOf menu(commands, parts, "&Partition");
    CurrentPartition* split = parts.context.partition;
    WhyBar* why = parts.docks->panel<InspectorPanel>()->whyBar();
    auto* saved = parts.docks->panel<SavedPanel>();
    const auto hasPartition = [split] { return split->snapshot() != nullptr; };
    menu.add(
        "why", "&Why saved?", "Show why the selected node is saved, recomputed or neither",
        Qt::CTRL | Qt::SHIFT | Qt::Key_W, [links = parts.links] { links->showWhy(); },
        [split, graph = parts.context.graph] {
            return showsGraph(*graph) && graph->node().valid() && split->concerns(graph->graph()->reference);
        });
    menu.addSeparator();
    menu.add(
        "forceSave", "Force &save",
        "Force the nodes chosen in the Inspector to be saved for the backward, and split again",
        Qt::CTRL | Qt::ALT | Qt::Key_B, [why] { why->forceSave(); }, hasPartition);
    menu.add(
        "forceRecompute", "Force &recompute",
        "Force the nodes chosen in the Inspector to be recomputed in the backward, and split again",
        Qt::CTRL | Qt::ALT | Qt::Key_R, [why] { why->forceRecompute(); }, hasPartition);
    menu.add(
        "releaseChoice", "Remo&ve the override", "Remove the override of the nodes chosen in the Inspector",
        Qt::CTRL | Qt::ALT | Qt::Key_U, [why] { why->release(); }, hasPartition);
    menu.addSeparator();
    menu.add(
        "undoChoice", "Undo the &last choice", "Undo what was chosen last: a node, a module or a budget",
        Qt::CTRL | Qt::Key_Z, [split] { split->undo(); }, [split] { return split->canUndo(); });
    menu.add(
        "undoChoices", "Undo &all choices", "Undo the choices for all nodes",
        Qt::CTRL | Qt::SHIFT | Qt::Key_Z, [split] { split->releaseAll(); },
        [split] { return !split->choices().nodes.empty(); });
    menu.addSeparator();
    menu.add(
        "otherPartitioner", "Use the &default partitioner", otherPartitionerTip,
        Qt::CTRL | Qt::ALT | Qt::Key_Y,
        [split] {
            session::PartitionChoices choices = split->choices();
            choices.partitioner = otherPartitioner(*split);
            split->setChoices(choices);
        },
        hasPartition);
    menu.addSeparator();
    menu.add(
        "exportSaved", "&Export saved tensors…", "Write the rows of the Saved panel as CSV",
        Qt::CTRL | Qt::SHIFT | Qt::Key_S, [saved] { saved->exportDialog(SavedPanel::Rows::Saved); },
        hasPartition);
    menu.add(
        "exportRecomputed", "Export &recomputed values…",
        "Write what the backward recomputes as CSV, with its cost and the rule",
        Qt::CTRL | Qt::ALT | Qt::Key_E, [saved] { saved->exportDialog(SavedPanel::Rows::Recomputed); },
        hasPartition);
}

void updateCommands(CommandList& commands, const WindowParts& parts) {
    commands.update();
    const bool isCall = parts.context.call->paused() && parts.links->callHasKeys();
    const bool paused = parts.docks->panel<RetracePanel>()->paused();
    commands.setWords(QStringLiteral("run"),
                      isCall   ? words("&Resume the call")
                      : paused ? words("&Resume the trace")
                               : words(runTitle),
                      isCall   ? words("Continue to the next breakpoint of the paused call, or its end")
                      : paused ? words("Continue to the next breakpoint of the paused trace")
                               : words(runTip));
    commands.setWords(QStringLiteral("otherPartitioner"), otherPartitionerTitle(*parts.context.partition),
                      words(otherPartitionerTip));
    commands.setWords(QStringLiteral("stepOperator"), isCall ? words("&Step over") : words(stepTitle),
                      isCall ? words("To the next event of the paused call, over wrappers and fused kernels")
                             : words(stepTip));
}

} // namespace aotscope::views
