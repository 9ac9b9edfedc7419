#include "window/panel_links.h"

#include "common/engine_client.h"
#include "compare/compare_panel.h"
#include "graph/graph_panel.h"
#include "panels/compiles_panel.h"
#include "panels/inspector_panel.h"
#include "panels/payload_panel.h"
#include "panels/problems_panel.h"
#include "panels/text_panel.h"
#include "partition/why_bar.h"
#include "retrace/retrace_panel.h"
#include "retrace/stage_bar.h"
#include "window/graph_dock.h"
#include "window/panel_docks.h"

namespace aotscope::views {

PanelLinks::PanelLinks(const ViewContext& context, PanelDocks* docks, QObject* parent)
    : QObject(parent), m_docks(docks) {
    GraphPanel* graph = docks->panel<GraphDock>()->panel();
    const auto showText = [docks] { docks->focusPanel(QStringLiteral("text")); };
    connect(docks->panel<InspectorPanel>(), &InspectorPanel::textRequested, this, showText);
    connect(graph, &GraphPanel::showTextRequested, this, showText);
    connect(graph, &GraphPanel::whyRequested, this, &PanelLinks::showWhy);
    connect(docks->panel<TextPanel>(), &TextPanel::whyRequested, this, &PanelLinks::showWhy);
    connect(docks->panel<TextPanel>(), &TextPanel::noPlaceToPause, this, [this] {
        Q_EMIT said(tr("A re-trace can pause only at a computed node or at a source comment (# File: …): "
                       "choose such a line."));
    });
    connect(graph, &GraphPanel::foundChanged, this,
            [docks, graph] { docks->panel<InspectorPanel>()->whyBar()->setFound(graph->found()); });
    const auto* retrace = docks->panel<RetracePanel>();
    connect(retrace, &RetracePanel::compareRequested, this, &PanelLinks::compare);
    connect(retrace, &RetracePanel::pausedChanged, this, [this](bool paused) {
        Q_EMIT stateChanged();
        if (paused) {
            m_docks->raisePanel(QStringLiteral("retrace"));
        }
    });
    const auto* compiles = docks->panel<CompilesPanel>();
    connect(compiles, &CompilesPanel::compareRequested, this, &PanelLinks::compare);
    connect(compiles, &CompilesPanel::closeRequested, this,
            [engine = context.engine](quint32 log) { engine->send(session::CloseLog{log}); });
    connect(docks->panel<ProblemsPanel>(), &ProblemsPanel::recordRequested, this,
            [docks](quint32 log, load::RecordId record) {
                docks->panel<PayloadPanel>()->showRecord(log, record);
                docks->focusPanel(QStringLiteral("payload"));
            });
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
