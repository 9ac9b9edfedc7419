#include "window/panel_links.h"

#include "common/breakpoint_list.h"
#include "common/current_graph.h"
#include "common/engine_client.h"
#include "common/selection_hub.h"
#include "compare/compare_panel.h"
#include "graph/graph_panel.h"
#include "hooks/inlining_panel.h"
#include "kernels/kernel_page.h"
#include "kernels/kernels_panel.h"
#include "panels/compiles_panel.h"
#include "panels/inspector_panel.h"
#include "panels/payload_panel.h"
#include "panels/problems_panel.h"
#include "panels/text_panel.h"
#include "partition/current_partition.h"
#include "partition/why_bar.h"
#include "retrace/retrace_panel.h"
#include "retrace/stage_bar.h"
#include "steps/current_call.h"
#include "steps/events_panel.h"
#include "steps/wrappers_panel.h"
#include "timeline/timeline_panel.h"
#include "window/compile_settings_dialog.h"
#include "window/graph_dock.h"
#include "window/panel_docks.h"

#include <utility>

namespace aotscope::views {

namespace {

session::Breakpoint tracePlace(const std::string& node) {
    return {session::Breakpoint::Kind::Node, node};
}

steps::StepBreakpoint callPlace(const std::string& node) {
    steps::StepBreakpoint place;
    place.kind = steps::StepBreakpoint::Kind::Node;
    place.text = node;
    return place;
}

} // namespace

PanelLinks::PanelLinks(const ViewContext& context, PanelDocks* docks, QObject* parent)
    : QObject(parent), m_context(context), m_docks(docks) {
    GraphPanel* graph = docks->panel<GraphDock>()->panel();
    const auto showText = [docks] { docks->focusPanel(QStringLiteral("text")); };
    connect(docks->panel<InspectorPanel>(), &InspectorPanel::textRequested, this, showText);
    connect(docks->panel<InspectorPanel>(), &InspectorPanel::settingsRequested, this,
            [docks, context] { CompileSettingsDialog::showFor(context, docks->window()); });
    connect(graph, &GraphPanel::showTextRequested, this, showText);
    connect(graph, &GraphPanel::whyRequested, this, &PanelLinks::showWhy);
    linkNodeActions(graph);
    connect(docks->panel<TextPanel>(), &TextPanel::whyRequested, this, &PanelLinks::showWhy);
    connect(docks->panel<TextPanel>(), &TextPanel::noPlaceToPause, this, [this] {
        Q_EMIT said(tr("A re-trace can pause only at a computed node or at a source comment (# File: …): "
                       "choose such a line."));
    });
    connect(graph, &GraphPanel::foundChanged, this,
            [docks, graph] { docks->panel<InspectorPanel>()->whyBar()->setFound(graph->found()); });
    const auto* retrace = docks->panel<RetracePanel>();
    connect(retrace, &RetracePanel::compareRequested, this, &PanelLinks::compare);
    connect(context.call, &CurrentCall::stateChanged, this, &PanelLinks::followCall);
    connect(context.call, &CurrentCall::callChanged, this, &PanelLinks::stateChanged);
    connect(context.call, &CurrentCall::pointChanged, this, &PanelLinks::stateChanged);
    connect(docks->panel<EventsPanel>(), &EventsPanel::noPlaceToPause, this, [this] {
        Q_EMIT said(tr("No breakpoint possible here. Type one in Events: nan, above:1e4, mutated:arg 2."));
    });
    connect(retrace, &RetracePanel::pausedChanged, this, [this](bool paused) {
        m_callPausedLast = m_callPausedLast && !paused;
        Q_EMIT stateChanged();
        if (paused) {
            m_docks->raisePanel(QStringLiteral("retrace"));
        }
    });
    connect(docks->panel<TimelinePanel>(), &TimelinePanel::traceOpened, this,
            [docks] { docks->raisePanel(QStringLiteral("timeline")); });
    const auto* compiles = docks->panel<CompilesPanel>();
    connect(compiles, &CompilesPanel::compareRequested, this, &PanelLinks::compare);
    connect(docks->panel<InliningPanel>(), &InliningPanel::compareRequested, this, &PanelLinks::compare);
    connect(compiles, &CompilesPanel::closeRequested, this,
            [engine = context.engine](quint32 log) { engine->send(session::CloseLog{log}); });
    connect(docks->panel<ProblemsPanel>(), &ProblemsPanel::recordRequested, this,
            [docks](quint32 log, load::RecordId record) {
                docks->panel<PayloadPanel>()->showRecord(log, record);
                docks->focusPanel(QStringLiteral("payload"));
            });
}

/// The menus of nodes and bands: what can be done, and doing it.
void PanelLinks::linkNodeActions(GraphPanel* graph) {
    graph->setNodeActions([this](const std::string& node) {
        const CurrentPartition& split = *m_context.partition;
        const session::GraphSnapshotPtr& shown = m_context.graph->graph();
        const auto id = shown && shown->graph ? shown->graph->tryFind(node) : std::nullopt;
        const bool isCall = id && shown->graph->node(*id).op == ir::Opcode::CallFunction;
        const bool isOfStep = shown && split.concerns(shown->reference);
        return NodeActions{.canChoose = isOfStep && !split.choosable(std::vector{node}).empty(),
                           .choice = split.choiceOf(node),
                           .canRerun = isCall,
                           .canBreak = isCall,
                           .hasBreakpoint = m_context.breakpoints->contains(tracePlace(node)) ||
                                            m_context.call->hasBreakpoint(callPlace(node))};
    });
    connect(graph, &GraphPanel::choiceRequested, this,
            [this](const std::string& node, std::optional<passes::Forced> choice) {
                const std::vector<std::string> nodes{node};
                if (choice) {
                    m_context.partition->force(nodes, *choice);
                } else {
                    m_context.partition->release(nodes);
                }
            });
    connect(graph, &GraphPanel::rerunRequested, this, [this] {
        m_docks->focusPanel(QStringLiteral("kernels"));
        m_docks->panel<KernelsPanel>()->page()->rerun();
    });
    connect(graph, &GraphPanel::breakpointRequested, this, &PanelLinks::toggleBreakpointAt);
}

/// Where re-traces and calls pause, together: a person means the node.
void PanelLinks::toggleBreakpointAt(const std::string& node) {
    const bool ofTrace = m_context.breakpoints->contains(tracePlace(node));
    const bool ofCall = m_context.call->hasBreakpoint(callPlace(node));
    const bool isSet = ofTrace || ofCall;
    if (ofTrace == isSet) {
        m_context.breakpoints->toggle(tracePlace(node));
    }
    if (ofCall == isSet) {
        m_context.call->toggleBreakpoint(callPlace(node));
    }
}

/// The panels of a call come into sight when it begins, and when it first pauses; after that a person may
/// look at others while stepping.
void PanelLinks::followCall() {
    const CurrentCall& call = *m_context.call;
    const bool begins = call.calling() && !std::exchange(m_isCalling, call.calling());
    m_isCalling = call.calling();
    if (call.paused() && !m_isCallPaused) {
        m_callPausedLast = true;
    }
    m_isCallPaused = call.paused();
    if (begins) {
        m_docks->raisePanel(QStringLiteral("events"));
        m_docks->raisePanel(QStringLiteral("wrappers"));
    }
    Q_EMIT stateChanged();
}

bool PanelLinks::hasKeyboard(const char* id) const {
    // The window's focus: the application has none while another program is active.
    const QWidget* focus = m_docks->window()->focusWidget();
    return focus != nullptr && m_docks->dock(QLatin1String(id))->isAncestorOf(focus);
}

bool PanelLinks::callHasKeys() const {
    const bool isFocused = hasKeyboard("events") || hasKeyboard("wrappers") ||
                           (hasKeyboard("kernels") && m_context.call->canStep());
    const bool isTracePaused = m_docks->panel<RetracePanel>()->paused();
    const bool isStepping = m_context.call->stepping();
    if (isStepping != isTracePaused) {
        return isStepping;
    }
    if (!isStepping) {
        return isFocused;
    }
    return isFocused || (m_callPausedLast && !hasKeyboard("retrace"));
}

void PanelLinks::toggleBreakpoint() {
    if (hasKeyboard("events")) {
        m_docks->panel<EventsPanel>()->toggleBreakpoint();
    } else if (hasKeyboard("wrappers")) {
        m_docks->panel<WrappersPanel>()->toggleBreakpoint();
    } else {
        m_docks->panel<TextPanel>()->toggleBreakpoint();
    }
}

void PanelLinks::runToCursor() {
    const auto& selected = m_context.selection->current();
    if (hasKeyboard("events")) {
        m_docks->panel<EventsPanel>()->runToCursor();
    } else if (selected && !selected->node.empty()) {
        m_context.call->goToNode(selected->node);
    }
}

void PanelLinks::callFunction(bool stepThrough) {
    m_docks->focusPanel(QStringLiteral("wrappers"));
    m_docks->panel<WrappersPanel>()->call(stepThrough);
}

void PanelLinks::compare(const session::ArtifactReference& left, const session::ArtifactReference& right) {
    m_docks->panel<ComparePanel>()->compare(left, right);
    m_docks->focusPanel(QStringLiteral("compare"));
}

void PanelLinks::showWhy() {
    m_docks->focusPanel(QStringLiteral("inspector"));
    m_docks->panel<InspectorPanel>()->showWhy();
}

void PanelLinks::moveStage(int step) {
    if (!m_docks->panel<RetracePanel>()->stageBar()->step(step)) {
        Q_EMIT said(
            tr("No stages are shown: tick “stages” in the Re-trace panel and trace the compile again."));
    }
}

} // namespace aotscope::views
