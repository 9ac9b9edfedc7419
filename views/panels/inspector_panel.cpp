#include "panels/inspector_panel.h"

#include "common/current_graph.h"
#include "common/empty_page.h"
#include "common/format.h"
#include "common/give_keyboard.h"
#include "common/panel_layout.h"
#include "common/selection_hub.h"
#include "panels/inspector_text.h"
#include "partition/current_partition.h"
#include "partition/why_bar.h"
#include "partition/why_text.h"

#include <QScrollBar>
#include <QTextBrowser>

namespace aotscope::views {

InspectorPanel::InspectorPanel(const ViewContext& context, QWidget* parent)
    : QWidget(parent), m_context(context), m_view(new QTextBrowser), m_whyBar(new WhyBar(context)) {
    m_view->setOpenLinks(false);
    m_view->setAccessibleName(tr("Everything known about the selection"));
    m_view->setTextInteractionFlags(Qt::TextBrowserInteraction | Qt::LinksAccessibleByKeyboard);
    m_view->document()->setDocumentMargin(10);
    m_pages = new EmptyPage(m_view, this);
    auto* layout = flushColumn(this);
    layout->addWidget(m_pages, 1);
    layout->addWidget(m_whyBar);
    setKeyboardPlace(this, m_view);
    connect(m_view, &QTextBrowser::anchorClicked, this, &InspectorPanel::followLink);
    connect(context.graph, &CurrentGraph::nodeChanged, this, &InspectorPanel::refresh);
    connect(context.graph, &CurrentGraph::runChanged, this, &InspectorPanel::refresh);
    connect(context.logs, &LogList::changed, this, [this](const session::LogSnapshotPtr& log) {
        const std::optional<session::Selection>& current = m_context.selection->current();
        if (current && current->artifact.log == log->log && current->node.empty()) {
            refresh();
        }
    });
    connect(context.theme, &ThemeSource::changed, this, &InspectorPanel::refresh);
    connect(context.partition, &CurrentPartition::partitionChanged, this, [this] {
        refresh();
        askOtherWay();
    });
    connect(context.partition, &CurrentPartition::choicesChanged, this, &InspectorPanel::refresh);
    connect(context.partition, &CurrentPartition::alternativeChanged, this, &InspectorPanel::refresh);
    connect(context.graph, &CurrentGraph::nodeChanged, this, &InspectorPanel::askOtherWay);
    refresh();
}

void InspectorPanel::refresh() {
    const std::optional<session::Selection>& current = m_context.selection->current();
    if (!current) {
        m_pages->showMessage(
            tr("Nothing is selected"),
            tr("Everything known about what you select in any panel appears here; every name is a link."));
        return;
    }
    const Theme& theme = m_context.theme->theme();
    const session::GraphSnapshotPtr& graph = m_context.graph->graph();
    const ir::NodeId node = m_context.graph->node();
    QString html;
    m_whyBar->setNode(node.valid() ? graph->graph->node(node).name : std::string());
    if (node.valid()) {
        html = nodeHtml(*graph, node, m_context.graph->run().get(), theme) +
               whyOf(graph->graph->node(node).name);
    } else {
        if (graph) {
            html = graphHtml(*graph, theme);
        }
        html +=
            compileHtml(*m_context.logs, current->artifact, graph ? graph->options.get() : nullptr, theme);
    }
    showHtml(html);
}

/// When the same content is shown again (an answer came, the theme changed), the scroll position stays.
void InspectorPanel::showHtml(const QString& html) {
    const Theme& theme = m_context.theme->theme();
    // QTextDocument applies link colours while it parses, so the style sheet is set first.
    m_view->document()->setDefaultStyleSheet(
        QStringLiteral("a { color: %1; text-decoration: none; }").arg(theme.accent.name()));
    const session::Selection& current = *m_context.selection->current();
    const bool same = m_shown == current;
    const int position = m_view->verticalScrollBar()->value();
    if (!same && m_shown && current.node != m_whyNode) {
        m_whyNode.clear();
    }
    m_shown = current;
    // Setting the text takes longer than making it, and it is often unchanged.
    if (const QString told = theme.accent.name() + html; told != m_told) {
        m_told = told;
        m_view->setHtml(html);
    }
    m_pages->showContent();
    if (!same && m_whyNode == current.node) {
        m_view->scrollToAnchor(QStringLiteral("why"));
    } else if (same) {
        m_view->verticalScrollBar()->setValue(position);
    }
}

/// For a node of the joint graph, or of one of its halves.
QString InspectorPanel::whyOf(const std::string& node) const {
    const CurrentPartition& split = *m_context.partition;
    return split.concerns(m_context.graph->graph()->reference)
               ? whyHtml(split, node, m_context.theme->theme())
               : QString();
}

void InspectorPanel::askOtherWay() {
    const session::GraphSnapshotPtr& graph = m_context.graph->graph();
    const ir::NodeId node = m_context.graph->node();
    if (!node.valid()) {
        return;
    }
    const std::string& name = graph->graph->node(node).name;
    if (!whyOf(name).isEmpty() && !m_context.partition->alternativeOf(name)) {
        m_context.partition->findAlternative(name);
    }
}

void InspectorPanel::showWhy() {
    const auto& current = m_context.selection->current();
    m_whyNode = current ? current->node : std::string();
    m_view->scrollToAnchor(QStringLiteral("why"));
    m_view->setFocus(Qt::OtherFocusReason);
}

void InspectorPanel::followLink(const QUrl& link) {
    const QString scheme = link.scheme();
    const QString rest = link.path(QUrl::FullyDecoded);
    const std::optional<session::Selection> current = m_context.selection->current();
    if (!current) {
        return;
    }
    session::Selection next = *current;
    next.node.clear();
    if (scheme == QLatin1String("node")) {
        next.node = rest.toStdString();
    } else if (scheme == QLatin1String("graph")) {
        next.artifact.subgraph.push_back(rest.toStdString());
    } else if (scheme == QLatin1String("artifact")) {
        next.artifact.artifact = rest.toStdString();
        next.artifact.subgraph.clear();
    } else if (scheme == QLatin1String("why")) {
        selectInPartition(rest.toStdString());
        return;
    } else if (scheme == QLatin1String("half")) {
        selectCopy(rest.toStdString());
        return;
    } else if (scheme == QLatin1String("source")) {
        selectSource(rest);
        return;
    } else if (scheme == QLatin1String("settings")) {
        Q_EMIT settingsRequested();
        return;
    } else {
        Q_EMIT textRequested();
        return;
    }
    m_context.selection->select(next, this);
}

/// Selects in the shown graph if it has the node, else in the joint graph.
void InspectorPanel::selectInPartition(const std::string& node) {
    const session::GraphSnapshotPtr& graph = m_context.graph->graph();
    const bool here = graph && graph->graph && graph->graph->tryFind(node);
    m_whyNode = node;
    m_context.selection->select({here ? graph->reference : *m_context.partition->joint(), node}, this);
}

/// Selects the backward's copy of a recomputed node, in the logged graph as long as the partition is the
/// logged one.
void InspectorPanel::selectCopy(const std::string& node) {
    const session::PartitionSnapshotPtr& split = m_context.partition->snapshot();
    if (split) {
        const bool logged = split->differences && split->differences->empty();
        m_context.selection->select({logged ? split->loggedBackward->reference : split->backward, node},
                                    this);
    }
}

/// The next node from the same source line after the selected one, so that repeated clicks visit them all.
void InspectorPanel::selectSource(const QString& place) {
    const session::GraphSnapshotPtr& graph = m_context.graph->graph();
    if (!graph || !graph->graph) {
        return;
    }
    const auto order = graph->graph->order();
    const ir::NodeId node = m_context.graph->node();
    const std::size_t start = node.valid() ? graph->graph->position(node) + 1 : 0;
    for (std::size_t split = 0; split < order.size(); ++split) {
        const ir::NodeId candidate = order[(start + split) % order.size()];
        const auto& origin = graph->graph->node(candidate).origin;
        if (origin && origin->source &&
            fileNameOf(origin->source->file) + QLatin1Char(':') + QString::number(origin->source->line) ==
                place) {
            m_context.graph->selectNode(candidate, this);
            return;
        }
    }
}

} // namespace aotscope::views
