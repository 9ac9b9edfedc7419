#include "panels/text_panel.h"

#include "common/breakpoint_list.h"
#include "common/code_view.h"
#include "common/current_graph.h"
#include "common/elided_label.h"
#include "common/empty_page.h"
#include "common/engine_client.h"
#include "common/find_bar.h"
#include "common/format.h"
#include "common/give_keyboard.h"
#include "common/log_list.h"
#include "common/selection_hub.h"
#include "panels/text_breakpoints.h"
#include "session/retrace_target.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QToolButton>

#include <algorithm>

namespace aotscope::views {

TextPanel::TextPanel(const PanelContext& context, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_view(new CodeView(context.view.theme)),
      m_find(new FindBar(m_view)),
      m_title(new ElidedLabel),
      m_logged(new QToolButton) {
    m_view->setAccessibleName(tr("Text of the graph"));
    m_title->setProperty("role", QStringLiteral("dim"));
    m_logged->setText(tr("As logged"));
    m_logged->setCheckable(true);
    m_logged->setToolTip(
        tr("Show the text as it stands in the log instead of the text printed from the graph"));
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(8, 2, 4, 2);
    bar->addWidget(m_title, 1);
    bar->addWidget(m_logged);
    m_pages = layOutPanel(this, bar, {m_find, m_view});
    setKeyboardPlace(this, m_view);

    m_view->setMarginTip(tr("Pause a re-trace at this line (F9)"));
    m_view->setMarkable([this](int line) { return breakpointAt(line).has_value(); });
    connect(m_view, &CodeView::marginClicked, this, &TextPanel::toggleBreakpointAt);
    connect(context.breakpoints, &BreakpointList::changed, this, &TextPanel::showBreakpoints);
    connect(m_logged, &QToolButton::toggled, this, &TextPanel::showGraph);
    connect(m_view, &CodeView::lineChosen, this, &TextPanel::chooseLine);
    connect(m_view, &CodeView::lineHovered, this, &TextPanel::hoverLine);
    connect(m_view, &CodeView::menuOpening, this, [this](QMenu* menu, int line) {
        if (m_shown && m_shown->graph && nodeOfLine(line).valid()) {
            menu->addSeparator();
            menu->addAction(tr("Why saved?"), this, [this, line] {
                chooseLine(line);
                Q_EMIT whyRequested();
            });
        }
    });
    connect(context.graph, &CurrentGraph::graphChanged, this, &TextPanel::showGraph);
    connect(context.graph, &CurrentGraph::nodeChanged, this, &TextPanel::showNode);
    connect(context.view.selection, &SelectionHub::hoverChanged, this,
            [this](const std::optional<session::Selection>& hovered, QObject* source) {
                if (source == this || !m_shown || !m_shown->graph) {
                    return;
                }
                const bool here = hovered && hovered->artifact == m_shown->reference;
                const auto node = here ? m_shown->graph->tryFind(hovered->node) : std::nullopt;
                m_view->setHoveredLine(node ? lineOfNode(*node) : -1);
            });
    showGraph();
}

void TextPanel::showLogged(bool logged) {
    m_logged->setChecked(logged);
}

void TextPanel::openSearch() {
    m_find->open();
}

void TextPanel::showGraph() {
    m_shown = m_context.graph->graph();
    if (!m_shown) {
        const std::optional<session::Selection>& selected = m_context.view.selection->current();
        const std::optional<load::Artifact> artifact =
            selected ? m_context.logs->tryArtifact(selected->artifact) : std::nullopt;
        if (artifact && artifact->isGraph) {
            m_pages->showMessage(tr("Reading %1 …").arg(referenceText(selected->artifact)), {});
        } else if (artifact) {
            m_pages->showMessage(tr("%1 is no graph").arg(referenceText(selected->artifact)),
                                 tr("Its content is in the Payload panel."));
        } else {
            m_pages->showMessage(tr("No graph is selected"),
                                 tr("The source text of a graph appears here, in step with its picture.\n"
                                    "Pick a compile or a graph in the Compiles panel."));
        }
        return;
    }
    const bool canPrint = m_shown->graph != nullptr;
    m_logged->setEnabled(canPrint);
    const bool logged = m_logged->isChecked() || !canPrint;
    m_view->setText(text(logged ? m_shown->text : m_shown->printed.text), CodeLanguage::Python);
    m_loggedLineOfNode.clear();
    m_loggedNodeOfLine.clear();
    if (logged && canPrint) {
        mapLoggedLines();
    }
    m_title->setText(referenceText(m_shown->reference) + QStringLiteral("  ·  ") +
                     formatCount(static_cast<std::uint64_t>(m_view->lineCount()), "line", "lines"));
    if (m_shown->error) {
        const int line = static_cast<int>(m_shown->error->place.line) - 1;
        m_title->setText(m_title->text() + tr("  ·  could not be parsed"));
        m_view->setMark(std::max(0, line), text(m_shown->error->text()));
        m_view->scrollToLine(std::max(0, line));
    }
    if (canPrint && !logged) {
        for (const ir::VerifierProblem& problem : m_shown->problems) {
            const int line = problem.node.valid() ? lineOfNode(problem.node) : -1;
            if (line >= 0) {
                m_view->setMark(line, text(problem.message));
            }
        }
    }
    m_pages->showContent();
    showBreakpoints();
    showNode();
}

/// Whether a trace starts from the shown graph, so that its nodes are the program's.
bool TextPanel::showsProgram() const {
    const session::LogSnapshotPtr log = m_context.logs->tryLog(m_shown->reference.log);
    if (!log) {
        return false;
    }
    const std::vector<session::RetraceTarget> targets = session::retraceTargets(*log, m_shown->reference);
    return std::ranges::any_of(
        targets, [&](const session::RetraceTarget& target) { return target.program == m_shown->reference; });
}

void TextPanel::toggleBreakpoint() {
    toggleBreakpointAt(m_view->currentLine());
}

void TextPanel::toggleBreakpointAt(int line) {
    if (const auto breakpoint = breakpointAt(line)) {
        m_context.breakpoints->toggle(*breakpoint);
    } else {
        Q_EMIT noPlaceToPause();
    }
}

/// The place of a trace that a line stands for.
std::optional<session::Breakpoint> TextPanel::breakpointAt(int line) const {
    if (!m_shown || !m_shown->graph || line < 0) {
        return std::nullopt;
    }
    return TextBreakpoints(*m_shown, showsProgram()).ofLine(m_view->line(line), nodeOfLine(line));
}

void TextPanel::showBreakpoints() {
    std::vector<int> dots;
    const std::vector<session::Breakpoint>& all = m_context.breakpoints->all();
    if (m_shown && m_shown->graph && !all.empty()) {
        const TextBreakpoints places(*m_shown, showsProgram());
        for (int line = 0; line < m_view->lineCount(); ++line) {
            const auto isHere = [&](const session::Breakpoint& breakpoint) {
                return places.isAt(breakpoint, m_view->line(line), nodeOfLine(line));
            };
            if (std::ranges::any_of(all, isHere)) {
                dots.push_back(line);
            }
        }
    }
    m_view->setDots(std::move(dots));
}

/// The logged text has the nodes in the same order: each is found by the name that begins its line.
void TextPanel::mapLoggedLines() {
    const ir::Graph& graph = *m_shown->graph;
    m_loggedLineOfNode.assign(graph.idBound(), -1);
    m_loggedNodeOfLine.assign(static_cast<std::size_t>(m_view->lineCount()), ir::NodeId());
    for (int number = 0; number < m_view->lineCount(); ++number) {
        QStringView line = m_view->line(number).trimmed();
        if (line.startsWith(u"%")) {
            line = line.sliced(1);
        }
        qsizetype end = 0;
        while (end < line.size() && (line[end].isLetterOrNumber() || line[end] == QLatin1Char('_'))) {
            ++end;
        }
        const QByteArray name = line.first(end).toUtf8();
        const bool returns = line.startsWith(u"return");
        const auto node =
            returns ? graph.output()
                    : graph.tryFind(std::string_view(name.data(), static_cast<std::size_t>(name.size())));
        if (end > 0 && node && m_loggedLineOfNode[node->index()] < 0) {
            m_loggedLineOfNode[node->index()] = number;
            m_loggedNodeOfLine[static_cast<std::size_t>(number)] = *node;
        }
    }
}

ir::NodeId TextPanel::nodeOfLine(int line) const {
    const auto at = static_cast<std::size_t>(line);
    const std::vector<ir::NodeId>& map =
        m_loggedNodeOfLine.empty() ? m_shown->printed.nodeOfLine : m_loggedNodeOfLine;
    return line >= 0 && at < map.size() ? map[at] : ir::NodeId();
}

int TextPanel::lineOfNode(ir::NodeId node) const {
    const std::vector<int>& map =
        m_loggedLineOfNode.empty() ? m_shown->printed.lineOfNode : m_loggedLineOfNode;
    return node.valid() && node.index() < map.size() ? map[node.index()] : -1;
}

void TextPanel::showNode() {
    if (!m_shown || !m_shown->graph) {
        return;
    }
    const ir::NodeId node = m_context.graph->node();
    if (!node.valid()) {
        m_view->setRelatedLines({});
        return;
    }
    std::vector<int> related;
    for (const ir::NodeId input : m_shown->graph->inputs(node)) {
        related.push_back(lineOfNode(input));
    }
    for (const ir::NodeId user : m_shown->graph->users(node)) {
        related.push_back(lineOfNode(user));
    }
    m_view->setRelatedLines(std::move(related));
    const int line = lineOfNode(node);
    if (nodeOfLine(m_view->currentLine()) != node) {
        m_view->setCurrentLine(line);
    }
}

void TextPanel::chooseLine(int line) {
    if (m_shown && m_shown->graph) {
        const ir::NodeId node = nodeOfLine(line);
        if (node.valid()) {
            m_context.graph->selectNode(node, this);
        }
    }
}

void TextPanel::hoverLine(int line) {
    if (!m_shown || !m_shown->graph) {
        return;
    }
    const ir::NodeId node = nodeOfLine(line);
    m_context.view.selection->hover(
        node.valid() ? std::optional(session::Selection{m_shown->reference, m_shown->graph->node(node).name})
                     : std::nullopt,
        this);
}

} // namespace aotscope::views
