#include "panels/text_panel.h"

#include "common/background.h"
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
#include "contract/retrace_target.h"
#include "files/retrace_targets.h"
#include "panels/text_breakpoints.h"

#include "base/progress.h"
#include "style/ink.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QToolButton>

#include <algorithm>
#include <cctype>
#include <set>

namespace aotscope::views {

TextPanel::TextPanel(const ViewContext& context, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_view(new CodeView(context.theme)),
      m_find(new FindBar(m_view)),
      m_title(new ElidedLabel),
      m_logged(new QToolButton) {
    m_view->setAccessibleName(tr("Text of the graph"));
    setWords(m_title, Words::Dim);
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
    connect(context.selection, &SelectionHub::hoverChanged, this,
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

void TextPanel::showGraph() {
    m_shown = m_context.graph->graph();
    m_content = {};
    if (!m_shown) {
        const std::optional<session::Selection>& selected = m_context.selection->current();
        const std::optional<load::Artifact> artifact =
            selected ? m_context.logs->tryArtifact(selected->artifact) : std::nullopt;
        if (m_context.graph->request()->state() != RequestBase::State::Idle && selected) {
            const QString what = referenceText(selected->artifact);
            m_pages->showRequest(m_context.graph->request(),
                                 {.running = tr("Reading %1 …").arg(what),
                                  .canceled = tr("Reading %1 was canceled").arg(what),
                                  .failed = tr("%1 cannot be read").arg(what)});
        } else if (artifact) {
            m_pages->showMessage(tr("%1 is not a graph").arg(referenceText(selected->artifact)),
                                 tr("Its content is in the Payload panel."));
        } else {
            m_pages->showMessage(tr("No graph is selected"),
                                 tr("The source text of a graph appears here, synchronized with its "
                                    "picture.\nPick a compile or a graph in the Compiles panel."));
        }
        return;
    }
    m_logged->setEnabled(m_shown->graph != nullptr);
    const bool logged = m_logged->isChecked() || !m_shown->graph;
    constexpr std::size_t shortText = 256U << 10U;
    if ((logged ? m_shown->text : m_shown->printed.text).size() <= shortText) {
        showContent(contentOf(m_shown, logged));
        return;
    }
    m_title->setText(referenceText(m_shown->reference));
    m_view->setText(QString(), CodeLanguage::Plain);
    m_pages->showContent();
    runInBackground<Content>(
        this, [graph = m_shown, logged] { return contentOf(graph, logged); },
        [this, graph = m_shown, logged](const Content& content) {
            if (graph == m_shown && logged == (m_logged->isChecked() || !graph->graph)) {
                showContent(content);
            }
        });
}

void TextPanel::showContent(const Content& content) {
    m_content = content;
    const bool canPrint = m_shown->graph != nullptr;
    m_view->setText(content.lines, CodeLanguage::Python);
    m_title->setText(referenceText(m_shown->reference) + QStringLiteral("  ·  ") +
                     formatCount(static_cast<std::uint64_t>(m_view->lineCount()), "line", "lines"));
    if (m_shown->error) {
        const int line = static_cast<int>(m_shown->error->place.line) - 1;
        m_title->setText(m_title->text() + tr("  ·  could not be parsed"));
        m_view->setMark(std::max(0, line), text(m_shown->error->text()));
        m_view->scrollToLine(std::max(0, line));
    }
    if (canPrint && !content.isLogged) {
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

/// Whether the shown graph is a program that can be traced.
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

/// The breakpoint that a line stands for.
std::optional<session::Breakpoint> TextPanel::breakpointAt(int line) const {
    if (!m_shown || !m_shown->graph || line < 0) {
        return std::nullopt;
    }
    return TextBreakpoints(*m_shown, showsProgram())
        .ofLine(m_view->lines()->line(static_cast<std::size_t>(line)), nodeOfLine(line));
}

void TextPanel::showBreakpoints() {
    std::set<int> dots;
    const std::vector<session::Breakpoint>& all = m_context.breakpoints->all();
    if (m_shown && m_shown->graph && m_content.lines && !all.empty()) {
        const TextBreakpoints places(*m_shown, showsProgram());
        for (const session::Breakpoint& breakpoint : all) {
            for (const ir::NodeId node : places.nodesOf(breakpoint)) {
                dots.insert(lineOfNode(node));
            }
            for (const int line : m_content.sourceLines) {
                if (TextBreakpoints::isAt(breakpoint,
                                          m_content.lines->line(static_cast<std::size_t>(line)))) {
                    dots.insert(line);
                }
            }
        }
        dots.erase(-1);
    }
    m_view->setDots({dots.begin(), dots.end()});
}

TextPanel::Content TextPanel::contentOf(const session::GraphSnapshotPtr& graph, bool logged) {
    const std::string& shown = logged ? graph->text : graph->printed.text;
    base::Progress untold;
    const base::TextLinesPtr lines = base::TextLines::of(shown, untold).value();
    // Keeps the graph alive, which owns the text.
    struct Kept {
        session::GraphSnapshotPtr graph;
        base::TextLinesPtr lines;
    };
    auto kept = std::make_shared<const Kept>(Kept{graph, lines});
    Content content{.lines = {kept, lines.get()},
                    .isLogged = logged,
                    .lineOfNode = {},
                    .nodeOfLine = {},
                    .sourceLines = {}};
    base::forEachLine(*lines, [&](std::size_t number, std::string_view line) {
        if (TextBreakpoints::namesSource(line)) {
            content.sourceLines.push_back(static_cast<int>(number));
        }
    });
    if (logged && graph->graph) {
        mapLoggedLines(*graph->graph, content);
    }
    return content;
}

/// The logged text has the nodes in graph order; each is found by the name at the start of its line.
void TextPanel::mapLoggedLines(const ir::Graph& graph, Content& content) {
    content.lineOfNode.assign(graph.idBound(), -1);
    content.nodeOfLine.assign(content.lines->count(), ir::NodeId());
    base::forEachLine(*content.lines, [&](std::size_t number, std::string_view line) {
        line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
        if (line.starts_with('%')) {
            line.remove_prefix(1);
        }
        const auto isOfName = [](char c) {
            const auto byte = static_cast<unsigned char>(c);
            return c == '_' || byte >= 0x80 || std::isalnum(byte) != 0;
        };
        const auto end = std::ranges::find_if_not(line, isOfName);
        const std::string_view name = line.substr(0, static_cast<std::size_t>(end - line.begin()));
        const auto node = line.starts_with("return") ? graph.output() : graph.tryFind(name);
        if (!name.empty() && node && content.lineOfNode[node->index()] < 0) {
            content.lineOfNode[node->index()] = static_cast<int>(number);
            content.nodeOfLine[number] = *node;
        }
    });
}

ir::NodeId TextPanel::nodeOfLine(int line) const {
    if (!m_content.lines) {
        return {};
    }
    const auto at = static_cast<std::size_t>(line);
    const std::vector<ir::NodeId>& map =
        m_content.isLogged ? m_content.nodeOfLine : m_shown->printed.nodeOfLine;
    return line >= 0 && at < map.size() ? map[at] : ir::NodeId();
}

int TextPanel::lineOfNode(ir::NodeId node) const {
    const std::vector<int>& map = m_content.isLogged ? m_content.lineOfNode : m_shown->printed.lineOfNode;
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
    m_context.selection->hover(
        node.valid() ? std::optional(session::Selection{m_shown->reference, m_shown->graph->node(node).name})
                     : std::nullopt,
        this);
}

} // namespace aotscope::views
