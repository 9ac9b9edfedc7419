// What RetracePanel shows of a paused trace, and a person's answers to it.
#include "retrace/retrace_panel.h"

#include "common/breakpoint_list.h"
#include "common/elided_label.h"
#include "common/empty_page.h"
#include "common/engine_client.h"
#include "common/selection_hub.h"
#include "retrace/pause_view.h"
#include "retrace/stage_bar.h"

#include <QTextBrowser>

#include <algorithm>

namespace aotscope::views {

namespace {

/// The node of a graph that grows which came last; none where there are inputs alone.
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
    m_details->parentWidget()->setVisible(!m_results.empty());
    // Beside a pause there is room for the results alone.
    m_details->setVisible(false);
    m_stageBar->setVisible(false);
    m_pages->showContent();
    // Not on Cancel, where the keyboard goes from the button that began the trace: Space there would end it.
    // The window's, not the application's, which has none while a person looks at another program.
    const QWidget* focus = window()->focusWidget();
    if (focus != nullptr && isAncestorOf(focus) && !m_pauseView->isAncestorOf(focus)) {
        m_pauseView->takeKeyboard();
    }
    m_summary->setText(tr("Paused"));
    // The graph is shown as it grows, unless a person looks at another one meanwhile.
    const auto& selected = m_context.selection->current();
    const bool follows = m_shownPause.artifact.empty() || (selected && selected->artifact == m_shownPause);
    if (follows && pause->partial) {
        // What was recorded last is where the trace stands.
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

/// The trace goes on; what the pause showed stays in sight until the next, so that stepping does not flicker.
void RetracePanel::endPause() {
    if (m_pause) {
        m_pause = nullptr;
        Q_EMIT pausedChanged(false);
    }
}

} // namespace aotscope::views
