#include "kernels/kernels_panel.h"

#include "common/current_graph.h"
#include "common/elided_label.h"
#include "common/empty_page.h"
#include "common/engine_client.h"
#include "common/format.h"
#include "common/give_keyboard.h"
#include "common/panel_layout.h"
#include "common/shown_kernels.h"
#include "kernels/kernel_model.h"
#include "kernels/kernel_page.h"
#include "kernels/kernel_variants.h"
#include "kernels/rerun_history.h"
#include "style/ink.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QShortcut>
#include <QSplitter>
#include <QTreeView>

#include <algorithm>

namespace aotscope::views {

KernelsPanel::KernelsPanel(const ViewContext& context, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_history(new RerunHistory(this)),
      m_variants(new KernelVariants(this)),
      m_model(new KernelModel(context.theme, this)),
      m_list(new QTreeView),
      m_filter(new QLineEdit),
      m_grouping(choiceBox(tr("Rows"),
                           tr("One row per node, or per operator or fused kernel with its nodes below"))),
      m_summary(new ElidedLabel),
      m_page(new KernelPage(context, m_history, m_variants)),
      m_plan(context.engine, planTag()) {
    buildList();
    auto* bar = controlRow();
    bar->addWidget(m_filter);
    bar->addWidget(m_grouping);
    bar->addWidget(m_summary, 1);
    auto* halves = new QSplitter(Qt::Horizontal);
    halves->setChildrenCollapsible(false);
    halves->addWidget(m_list);
    halves->addWidget(m_page);
    halves->setStretchFactor(0, 1);
    halves->setStretchFactor(1, 1);
    halves->setSizes({600, 680});
    m_pages = layOutPanel(this, bar, {halves});
    setKeyboardPlace(this, m_list);
    for (const QKeyCombination key : {Qt::CTRL | Qt::Key_Return, Qt::CTRL | Qt::Key_Enter}) {
        auto* shortcut = new QShortcut(key, this);
        shortcut->setContext(Qt::WidgetWithChildrenShortcut);
        connect(shortcut, &QShortcut::activated, m_page, &KernelPage::rerun);
    }

    connect(m_filter, &QLineEdit::textChanged, this, [this](const QString& words) {
        m_model->setFilter(words);
        showSummary();
    });
    connect(m_grouping, &QComboBox::currentIndexChanged, this, &KernelsPanel::followGrouping);
    connect(&m_plan, &RequestBase::changed, this, &KernelsPanel::followPlan);
    connect(m_list->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &KernelsPanel::followRows);
    connect(m_model, &QAbstractItemModel::modelReset, this, [this] { followNode(nullptr); });
    connect(m_history, &RerunHistory::changed, this, [this] {
        if (m_model->graph()) {
            m_model->setReruns(m_history->mediansOf(m_model->graph()->reference));
        }
    });
    connect(context.graph, &CurrentGraph::graphChanged, this, &KernelsPanel::followGraph);
    connect(context.graph, &CurrentGraph::runChanged, this, &KernelsPanel::followGraph);
    connect(context.graph, &CurrentGraph::nodeChanged, this, &KernelsPanel::followNode);
    connect(context.engine, &EngineClient::logClosed, m_history, &RerunHistory::forget);
    followGraph();
}

void KernelsPanel::buildList() {
    m_list->setModel(m_model);
    m_list->setObjectName(QStringLiteral("kernels"));
    m_list->setAccessibleName(tr("Kernels of the graph"));
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    m_list->setAllColumnsShowFocus(true);
    m_list->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_list->setSortingEnabled(true);
    m_list->sortByColumn(KernelModel::Position, Qt::AscendingOrder);
    static constexpr int widths[KernelModel::ColumnCount] = {48, 170, 210, 72, 64, 52, 72};
    for (int column = 0; column < KernelModel::ColumnCount; ++column) {
        m_list->header()->resizeSection(column, widths[column]);
    }
    m_filter->setObjectName(filterFieldName());
    m_filter->setPlaceholderText(tr("filter: node or operator"));
    m_filter->setAccessibleName(tr("Filter of the kernels"));
    m_filter->setClearButtonEnabled(true);
    m_filter->setMaximumWidth(220);
    m_grouping->addItems({tr("by node"), tr("by operator"), tr("by fused kernel")});
    setWords(m_summary, Words::Dim);
}

QString KernelsPanel::summary() const {
    return m_summary->text();
}

void KernelsPanel::followGraph() {
    const session::GraphSnapshotPtr& graph = m_context.graph->graph();
    if (!graph || !graph->graph) {
        m_model->setGraph(nullptr, nullptr);
        m_pages->showMessage(
            tr("No graph is selected"),
            tr("What a graph launches appears here, with times, and can be run again alone.\n"
               "Pick a graph in the Compiles panel."));
        return;
    }
    m_model->setReruns(m_history->mediansOf(graph->reference));
    m_model->setGraph(graph, m_context.graph->run());
    followGrouping();
    if (m_model->allRows() == 0) {
        m_pages->showMessage(tr("%1 launches nothing").arg(referenceText(graph->reference)),
                             tr("It has no node that computes something."));
    } else {
        m_pages->showContent();
    }
}

void KernelsPanel::followGrouping() {
    const int index = m_grouping->currentIndex();
    const session::GraphSnapshotPtr& graph = m_context.graph->graph();
    m_list->setRootIsDecorated(index > 0);
    m_context.kernels->setWanted(index == FusedKernels);
    if (index != FusedKernels) {
        m_plan.forget();
        m_model->setPlan(nullptr);
        m_model->setGrouping(index == Operators ? session::KernelGrouping::Operators
                                                : session::KernelGrouping::Nodes);
    } else if (graph && graph->graph) {
        const session::RunSnapshotPtr& run = m_context.graph->run();
        m_plan.ask(session::PlanKernels{graph->reference, run ? run->symbols : ir::SymbolBindings()});
    }
    showSummary();
}

void KernelsPanel::followPlan() {
    if (m_plan.state() == RequestBase::State::Ready && m_plan.answer()) {
        m_model->setPlan(m_plan.answer());
        m_context.kernels->setPlan(m_plan.answer());
    }
    showSummary();
}

void KernelsPanel::showSummary() {
    if (m_plan.isUnderWay()) {
        m_summary->setText(tr("Planning fused kernels …"));
        return;
    }
    if (m_plan.gaveUp()) {
        m_summary->setText(m_plan.error() ? text(m_plan.error()->message) : tr("Canceled."));
        return;
    }

    const QString rows = m_grouping->currentIndex() == Operators
                             ? formatCount(m_model->shownRows(), "operator", "operators")
                             : formatCount(m_model->shownRows(), "kernel", "kernels");
    const QString all = m_model->shownRows() == m_model->allRows()
                            ? rows
                            : tr("%1 of %2").arg(rows, formatCount(m_model->allRows()));
    const session::RunSnapshotPtr& run = m_context.graph->run();
    m_summary->setText(run ? all + tr("  ·  times of the run on %1").arg(text(run->backend))
                           : all + tr("  ·  run the graph (F5) to see times"));
}

void KernelsPanel::followNode(QObject* source) {
    if (source == this || !m_model->graph()) {
        return;
    }
    const QModelIndex row = m_model->indexOf(m_context.graph->node());
    m_following = true;
    if (!row.isValid()) {
        m_list->clearSelection();
    } else if (!m_list->selectionModel()->isSelected(row)) {
        m_list->selectionModel()->setCurrentIndex(row, QItemSelectionModel::ClearAndSelect |
                                                           QItemSelectionModel::Rows);
        m_list->scrollTo(row);
    }
    m_following = false;
    followRows();
    m_page->markNode(m_context.graph->node());
}

/// The page shows what is selected; a single node, or the first one of a kernel, becomes the window's
/// selection too.
void KernelsPanel::followRows() {
    std::vector<ir::NodeId> nodes;
    for (const QModelIndex& row : m_list->selectionModel()->selectedRows()) {
        const std::vector<ir::NodeId> more = m_model->nodesAt(row);
        nodes.insert(nodes.end(), more.begin(), more.end());
    }
    const session::GraphSnapshotPtr& graph = m_model->graph();
    if (graph) {
        std::ranges::sort(nodes, {}, [&](ir::NodeId node) { return graph->graph->position(node); });
        nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    }
    const QModelIndexList rows = m_list->selectionModel()->selectedRows();
    const auto kernel = rows.size() == 1 ? m_model->kernelAt(rows.front()) : std::nullopt;
    m_page->showNodes(nodes, kernel);
    if (m_following || nodes.empty()) {
        return;
    }
    const bool isOther = kernel && std::ranges::find(nodes, m_context.graph->node()) == nodes.end();
    if (nodes.size() == 1 || isOther) {
        m_context.graph->selectNode(nodes.front(), this);
    }
    if (kernel) {
        m_page->markNode(m_context.graph->node());
    }
}

} // namespace aotscope::views
