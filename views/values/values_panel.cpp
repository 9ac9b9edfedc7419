#include "values/values_panel.h"

#include "common/current_graph.h"
#include "common/elided_label.h"
#include "common/empty_page.h"
#include "common/engine_client.h"
#include "common/format.h"
#include "common/give_keyboard.h"
#include "common/panel_layout.h"
#include "common/plain_words.h"
#include "common/theme.h"
#include "style/ink.h"
#include "values/histogram_canvas.h"
#include "values/value_canvas.h"
#include "values/value_dimensions.h"
#include "values/value_table_model.h"
#include "values/value_words.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>

namespace aotscope::views {

ValuesPanel::ValuesPanel(const ViewContext& context, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_title(new ElidedLabel),
      m_view(choiceBox(tr("How the elements are shown"),
                       tr("Table, heat map, or image where it looks like one"))),
      m_dimensions(new ValueDimensions),
      m_statistics(plainLabel()),
      m_histogram(new HistogramCanvas),
      m_model(new ValueTableModel(this)),
      m_table(new QTableView),
      m_heatMap(new ValueCanvas(ValueCanvas::Shows::HeatMap)),
      m_image(new ValueCanvas(ValueCanvas::Shows::Image)),
      m_parts(new QStackedWidget),
      m_request(context.engine, tag()) {
    setWords(m_title, Words::Dim);
    m_title->setObjectName(QStringLiteral("valueTitle"));
    m_view->addItems({tr("Table"), tr("Heat map"), tr("Image")});
    m_table->setModel(m_model);
    m_table->setObjectName(QStringLiteral("valueTable"));
    m_table->setAccessibleName(tr("Elements"));
    m_table->horizontalHeader()->setDefaultSectionSize(88);
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_table->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 8);
    m_table->setWordWrap(false);
    m_statistics->setObjectName(QStringLiteral("valueStatistics"));
    m_statistics->setAccessibleName(tr("Statistics"));
    m_statistics->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_statistics->setTextFormat(Qt::RichText);
    m_statistics->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_statistics->setContentsMargins(8, 4, 8, 4);

    auto* bar = controlRow();
    bar->addWidget(m_view);
    bar->addWidget(m_dimensions);
    bar->addWidget(m_title, 1);
    for (QWidget* part :
         {static_cast<QWidget*>(m_table), static_cast<QWidget*>(m_heatMap), static_cast<QWidget*>(m_image)}) {
        m_parts->addWidget(part);
    }
    auto* facts = new QWidget;
    auto* factsColumn = flushColumn(facts);
    factsColumn->addWidget(m_statistics);
    factsColumn->addWidget(m_histogram, 1);
    auto* halves = new QSplitter(Qt::Horizontal);
    halves->setChildrenCollapsible(false);
    halves->addWidget(facts);
    halves->addWidget(m_parts);
    halves->setStretchFactor(0, 0);
    halves->setStretchFactor(1, 1);
    halves->setSizes({280, 720});
    m_pages = layOutPanel(this, bar, {halves});
    setKeyboardPlace(this, m_table);

    connect(m_view, &QComboBox::currentIndexChanged, m_parts, &QStackedWidget::setCurrentIndex);
    connect(m_dimensions, &ValueDimensions::chosen, this, [this] { ask(m_dimensions->window()); });
    connect(context.graph, &CurrentGraph::graphChanged, this, &ValuesPanel::follow);
    connect(context.graph, &CurrentGraph::nodeChanged, this, &ValuesPanel::follow);
    connect(context.graph, &CurrentGraph::runChanged, this, &ValuesPanel::follow);
    connect(&m_request, &RequestBase::answered, this, &ValuesPanel::take);
    connect(&m_request, &RequestBase::changed, this, [this] {
        if (m_request.gaveUp()) {
            showNothing();
        }
    });
    follow();
}

QString ValuesPanel::statistics() const {
    return m_value ? statisticsText(m_value->summary) : QString();
}

void ValuesPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    follow();
}

/// Shows the selected node's value, which may need a run.
void ValuesPanel::follow() {
    const session::GraphSnapshotPtr& graph = m_context.graph->graph();
    const ir::NodeId node = m_context.graph->node();
    const session::RunSnapshotPtr& run = m_context.graph->run();
    const bool canAsk = graph && graph->graph && run && node.valid();
    if (!canAsk || !isVisible()) {
        if (!canAsk) {
            m_request.forget();
            m_value = nullptr;
            showNothing();
        }
        return;
    }
    const bool isShown =
        m_value && m_value->graph == graph && m_value->node == node && m_value->seed == run->seed;
    const auto* asked = m_request.askedFor<session::LoadValue>();
    const bool isAsked = asked != nullptr && asked->graph == graph->reference &&
                         asked->node == graph->graph->node(node).name && asked->run.seed == run->seed &&
                         asked->run.symbols == run->symbols;
    if (!isAsked || !(isShown || m_request.isUnderWay() || m_request.gaveUp())) {
        m_value = nullptr;
        ask({});
    }
}

void ValuesPanel::ask(const session::ValueWindow& window) {
    const session::GraphSnapshotPtr& graph = m_context.graph->graph();
    const session::RunSnapshotPtr& run = m_context.graph->run();
    const ir::NodeId node = m_context.graph->node();
    if (!graph || !graph->graph || !run || !node.valid()) {
        return;
    }
    session::LoadValue command;
    command.graph = graph->reference;
    command.node = graph->graph->node(node).name;
    command.window = window;
    command.run.seed = run->seed;
    command.run.device = run->device;
    command.run.symbols = run->symbols;
    m_request.ask(std::move(command));
    if (!m_value) {
        showNothing();
    }
}

void ValuesPanel::take() {
    m_value = m_request.takeAnswer();
    m_dimensions->setValue(m_value);
    m_dimensions->setVisible(true);
    m_model->setValue(m_value);
    m_heatMap->setValue(m_value);
    m_image->setValue(m_value);
    m_histogram->setValue(m_value);
    QString rows;
    for (const QString& line : statisticsText(m_value->summary).split(QLatin1Char('\n'))) {
        const QStringList cells = line.split(QLatin1Char('\t'));
        rows += QStringLiteral("<tr><td>%1&nbsp;&nbsp;</td><td align=\"right\">%2</td></tr>")
                    .arg(cells.value(0).toHtmlEscaped(), cells.value(1).toHtmlEscaped());
    }
    m_statistics->setText(QStringLiteral("<table cellspacing=\"0\">%1</table>").arg(rows));
    const QString madeUp =
        m_value->origin == session::RunOrigin::Computed ? QString() : tr("  ·  ⚠ synthetic values");
    m_title->setText(text(m_value->graph->graph->node(m_value->node).name) + QStringLiteral("  ·  ") +
                     typeText(m_value->summary) + madeUp);
    m_pages->showContent();
}

void ValuesPanel::showNothing() {
    m_title->setText({});
    m_dimensions->setVisible(false);
    const session::GraphSnapshotPtr& graph = m_context.graph->graph();
    if (!graph || !graph->graph) {
        m_pages->showMessage(tr("No graph is selected"),
                             tr("The value of a node appears here: statistics, histogram, elements.\n"
                                "Pick a graph in the Compiles panel and run it in the Run panel."));
        return;
    }
    const QString what = referenceText(graph->reference);
    if (!m_context.graph->run()) {
        m_pages->showMessage(tr("%1 has not been run").arg(what),
                             tr("The value of a node appears here: statistics, histogram, elements.\n"
                                "Press Run (F5) to run the graph on synthetic inputs."));
        return;
    }
    const ir::NodeId node = m_context.graph->node();
    if (!node.valid()) {
        m_pages->showMessage(tr("No node is selected"),
                             tr("Its value in the run appears here: statistics, histogram, elements.\n"
                                "Click a node in the graph, the text or the Run panel."));
        return;
    }
    const QString name = text(graph->graph->node(node).name);
    m_pages->showRequest(&m_request, {.running = tr("Computing %1 …").arg(name),
                                      .canceled = tr("The value of %1 was canceled").arg(name),
                                      .failed = tr("The value of %1 cannot be shown").arg(name)});
}

} // namespace aotscope::views
