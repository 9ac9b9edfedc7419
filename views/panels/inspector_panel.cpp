#include "panels/inspector_panel.h"

#include "common/current_graph.h"
#include "common/empty_page.h"
#include "common/format.h"
#include "common/selection_hub.h"
#include "panels/inspector_text.h"

#include <QTextBrowser>
#include <QVBoxLayout>

namespace aotscope::views {

InspectorPanel::InspectorPanel(const PanelContext& context, QWidget* parent)
    : QWidget(parent), m_context(context), m_view(new QTextBrowser) {
    m_view->setOpenLinks(false);
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setAccessibleName(tr("Everything known of the selection"));
    m_view->setTextInteractionFlags(Qt::TextBrowserInteraction | Qt::LinksAccessibleByKeyboard);
    m_view->document()->setDocumentMargin(10);
    m_pages = new EmptyPage(m_view, this);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_pages);
    setFocusProxy(m_view);
    connect(m_view, &QTextBrowser::anchorClicked, this, &InspectorPanel::followLink);
    connect(context.graph, &CurrentGraph::nodeChanged, this, &InspectorPanel::refresh);
    connect(context.graph, &CurrentGraph::runChanged, this, &InspectorPanel::refresh);
    connect(context.logs, &LogList::changed, this, [this](const session::LogSnapshotPtr& log) {
        const std::optional<session::Selection>& current = m_context.view.selection->current();
        if (current && current->artifact.log == log->log && current->node.empty()) {
            refresh();
        }
    });
    connect(context.view.theme, &ThemeSource::changed, this, &InspectorPanel::refresh);
    refresh();
}

void InspectorPanel::refresh() {
    const std::optional<session::Selection>& current = m_context.view.selection->current();
    if (!current) {
        m_pages->showMessage(tr("Nothing is selected"),
                             tr("Everything known of what you pick in any panel appears "
                                "here, every name a link."));
        return;
    }
    const Theme& theme = m_context.view.theme->theme();
    const session::GraphSnapshotPtr& graph = m_context.graph->graph();
    const ir::NodeId node = m_context.graph->node();
    QString html;
    if (node.valid()) {
        html = nodeHtml(*graph, node, m_context.graph->run().get(), theme);
    } else {
        if (graph) {
            html = graphHtml(*graph, theme);
        }
        html += compileHtml(*m_context.logs, current->artifact, theme);
    }
    // Links take their colour when the text is laid in, so it is told beforehand.
    m_view->document()->setDefaultStyleSheet(
        QStringLiteral("a { color: %1; text-decoration: none; }").arg(theme.accent.name()));
    m_view->setHtml(html);
    m_pages->showContent();
}

void InspectorPanel::followLink(const QUrl& link) {
    const QString scheme = link.scheme();
    const QString rest = link.path(QUrl::FullyDecoded);
    const std::optional<session::Selection> current = m_context.view.selection->current();
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
    } else if (scheme == QLatin1String("source")) {
        selectSource(rest);
        return;
    } else {
        Q_EMIT textRequested();
        return;
    }
    m_context.view.selection->select(next, this);
}

/// The next node after the selected one that comes from the same line, so that repeated clicks walk them.
void InspectorPanel::selectSource(const QString& place) {
    const session::GraphSnapshotPtr& graph = m_context.graph->graph();
    if (!graph || !graph->graph) {
        return;
    }
    const auto order = graph->graph->order();
    const ir::NodeId node = m_context.graph->node();
    const std::size_t start = node.valid() ? graph->graph->position(node) + 1 : 0;
    for (std::size_t step = 0; step < order.size(); ++step) {
        const ir::NodeId candidate = order[(start + step) % order.size()];
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
