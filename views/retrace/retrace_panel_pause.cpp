// How RetracePanel shows a paused trace, and a person's answers to it.
#include "retrace/retrace_panel.h"

#include "common/breakpoint_list.h"
#include "common/elided_label.h"
#include "common/empty_page.h"
#include "common/engine_client.h"
#include "common/selection_hub.h"
#include "retrace/pause_view.h"
#include "retrace/stage_bar.h"

#include <QTextBrowser>
#include <QTreeWidget>

#include <algorithm>

namespace aotscope::views {

namespace {

/// The last recorded node of a partial graph; empty if it has only inputs.
std::string lastRecorded(const ir::Graph& graph) {
    const auto order = graph.order();
    const auto last = std::find_if(order.rbegin(), order.rend(), [&](ir::NodeId id) {
        return graph.node(id).op != ir::Opcode::Output && graph.node(id).op != ir::Opcode::Placeholder;
    });
    return last == order.rend() ? std::string() : graph.node(*last).name;
}

} // namespace

void RetracePanel::showPause(const session::TracePausePtr& pause) {
    m_pause = pause;
    m_pauseView->showPause(pause);
    m_pauseView->setVisible(true);
    m_view->parentWidget()->setVisible(!m_results.empty());
    // During a pause there is only room for the list of results.
    m_details->parentWidget()->setVisible(false);
    m_stageBar->setVisible(false);
    m_pages->showContent();
    // Move the focus away from Cancel: it would get the focus from the button that started the trace, and
    // Space would end the trace. Ask the window, because the application has no focus widget while another
    // program is active.
    const QWidget* focus = window()->focusWidget();
    if (focus != nullptr && isAncestorOf(focus) && !m_pauseView->isAncestorOf(focus)) {
        m_pauseView->takeKeyboard();
    }
    m_summary->setText(tr("Paused"));
    // Follow the growing graph, unless a person has selected another one.
    const auto& selected = m_context.selection->current();
    const bool follows = m_shownPause.artifact.empty() || (selected && selected->artifact == m_shownPause);
    if (follows && pause->partial) {
        // Select the last recorded node.
        m_context.selection->select({pause->partial->reference, lastRecorded(*pause->partial->graph)}, this);
        m_shownPause = pause->partial->reference;
    }
    Q_EMIT pausedChanged(true);
}

void RetracePanel::answer(session::PauseAnswer::Kind kind, const std::string& fact) {
    if (!m_pause) {
        return;
    }
    const std::uint64_t number = m_pause->number;
    endPause();
    m_summary->setText(tr("Tracing …"));
    m_context.engine->answerPause(number, {kind, fact, m_context.breakpoints->all()});
}

/// The trace continues. The pause stays visible until the next one, so that stepping does not flicker.
void RetracePanel::endPause() {
    if (m_pause) {
        m_pause = nullptr;
        Q_EMIT pausedChanged(false);
    }
}

} // namespace aotscope::views
