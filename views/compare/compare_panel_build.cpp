// Creates the parts of ComparePanel and connects them.
#include "common/empty_page.h"
#include "common/engine_client.h"
#include "common/format.h"
#include "common/panel_layout.h"
#include "common/theme.h"
#include "compare/compare_models.h"
#include "compare/compare_panel_state.h"
#include "compare/graph_list_model.h"
#include "graph/progress_strip.h"

#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QListView>
#include <QShortcut>
#include <QSplitter>
#include <QTabWidget>
#include <QToolButton>
#include <QTreeView>

namespace aotscope::views {

QWidget* ComparePanel::State::makeChoosers() {
    auto* bar = new QWidget;
    auto* layout = new QHBoxLayout(bar);
    layout->setContentsMargins(8, 4, 8, 4);
    layout->setSpacing(4);
    const auto chooser = [&](const QString& name, const QString& placeholder) {
        auto* combo = new QComboBox;
        combo->setObjectName(name);
        combo->setAccessibleName(placeholder);
        combo->setModel(m_graphs);
        combo->setCurrentIndex(-1);
        combo->setPlaceholderText(placeholder);
        combo->setMaxVisibleItems(24);
        combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        combo->setMinimumContentsLength(12);
        combo->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
        connect(combo, &QComboBox::activated, this, [this] { choose(); });
        return combo;
    };
    m_left = chooser(QStringLiteral("compareLeft"), tr("Left graph"));
    m_right = chooser(QStringLiteral("compareRight"), tr("Right graph"));
    auto* swapButton = new QToolButton;
    swapButton->setObjectName(QStringLiteral("compareSwap"));
    swapButton->setText(QStringLiteral("⇄"));
    swapButton->setToolTip(tr("Swap left and right"));
    swapButton->setAccessibleName(swapButton->toolTip());
    connect(swapButton, &QToolButton::clicked, this, [this] { swap(); });
    layout->addWidget(m_left, 1);
    layout->addWidget(swapButton);
    layout->addWidget(m_right, 1);
    connect(m_graphs, &GraphListModel::filled, this, [this] { showChoice(); });
    return bar;
}

QWidget* ComparePanel::State::makeSummary() {
    auto* bar = new QWidget;
    auto* layout = controlRow(bar);
    m_summary = new QLabel;
    m_summary->setObjectName(QStringLiteral("compareSummary"));
    m_summary->setTextFormat(Qt::RichText);
    m_summary->setWordWrap(true);
    auto* only = new QCheckBox(tr("Only differences"));
    only->setObjectName(QStringLiteral("compareOnlyDifferences"));
    only->setToolTip(tr("Hide the lines that are equal"));
    connect(only, &QCheckBox::toggled, m_aligned, &AlignedModel::setOnlyDifferences);
    layout->addWidget(m_summary, 1);
    layout->addWidget(only);
    return bar;
}

QWidget* ComparePanel::State::makeContent() {
    auto* content = new QWidget;
    auto* layout = flushColumn(content);
    layout->addWidget(makeSummary());
    m_columns = new QTreeView;
    m_columns->setObjectName(QStringLiteral("compareColumns"));
    m_columns->setAccessibleName(tr("Both graphs side by side"));
    m_columns->setModel(m_aligned);
    m_columns->setRootIsDecorated(false);
    m_columns->setUniformRowHeights(true);
    m_columns->setTextElideMode(Qt::ElideRight);
    m_columns->header()->setSectionResizeMode(AlignedModel::Left, QHeaderView::Stretch);
    m_columns->header()->setSectionResizeMode(AlignedModel::Marker, QHeaderView::Fixed);
    m_columns->header()->setSectionResizeMode(AlignedModel::Right, QHeaderView::Stretch);
    m_columns->header()->setSectionsMovable(false);
    m_columns->header()->setMinimumSectionSize(20);
    m_columns->header()->resizeSection(AlignedModel::Marker, 28);
    connect(m_columns, &QTreeView::clicked, this, [this](const QModelIndex& index) { selectRow(index); });
    connect(m_columns, &QTreeView::activated, this, [this](const QModelIndex& index) { selectRow(index); });
    auto* splitter = new QSplitter(Qt::Vertical);
    splitter->addWidget(m_columns);
    splitter->addWidget(makeTabs());
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 2);
    layout->addWidget(splitter, 1);
    return content;
}

QWidget* ComparePanel::State::makeTabs() {
    m_tabs = new QTabWidget;
    m_tabs->setDocumentMode(true);
    m_table = new QTreeView;
    m_table->setObjectName(QStringLiteral("compareTable"));
    m_table->setAccessibleName(tr("Differences"));
    m_table->setModel(m_differences);
    m_table->setRootIsDecorated(false);
    m_table->setUniformRowHeights(true);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(-1, Qt::AscendingOrder);
    m_table->header()->setStretchLastSection(true);
    m_table->header()->resizeSection(DifferenceModel::Kind, 110);
    m_table->header()->resizeSection(DifferenceModel::Left, 130);
    m_table->header()->resizeSection(DifferenceModel::Right, 130);
    const auto pick = [this](const QModelIndex& index) {
        if (index.isValid()) {
            selectDifference(m_differences->difference(index.row()));
        }
    };
    connect(m_table, &QTreeView::clicked, this, pick);
    connect(m_table, &QTreeView::activated, this, pick);
    auto* lines = new QListView;
    lines->setObjectName(QStringLiteral("compareText"));
    lines->setAccessibleName(tr("Unified text diff"));
    lines->setModel(m_unified);
    lines->setUniformItemSizes(true);
    lines->setSelectionMode(QAbstractItemView::ExtendedSelection);
    auto* copy = new QShortcut(QKeySequence::Copy, lines);
    copy->setContext(Qt::WidgetShortcut);
    connect(copy, &QShortcut::activated, lines, [lines] {
        QModelIndexList rows = lines->selectionModel()->selectedIndexes();
        std::ranges::sort(rows, {}, [](const QModelIndex& row) { return row.row(); });
        QString copied;
        for (const QModelIndex& row : rows) {
            copied += row.data().toString() + QLatin1Char('\n');
        }
        QGuiApplication::clipboard()->setText(copied);
    });
    m_tabs->addTab(m_table, tr("Differences"));
    m_tabs->addTab(lines, tr("Text diff"));
    return m_tabs;
}

void ComparePanel::State::connectEngine() {
    connect(&m_request, &RequestBase::answered, this, [this] { take(m_request.takeAnswer()); });
    connect(&m_request, &RequestBase::changed, this, &State::followRequest);
    connect(m_context.engine, &EngineClient::logClosed, this, [this](quint32 log) {
        if ((m_wantedLeft && m_wantedLeft->log == log) || (m_wantedRight && m_wantedRight->log == log)) {
            clear();
        }
    });
    connect(m_context.selection, &SelectionHub::selectionChanged, this, &State::follow);
    // The rows of large graphs come after the graphs.
    connect(m_aligned, &QAbstractItemModel::modelReset, this, &State::followSelection);
    connect(m_context.theme, &ThemeSource::changed, this, &State::refreshSummary);
}

ComparePanel::State::State(const ViewContext& context, ComparePanel* panel)
    : m_panel(panel),
      m_context(context),
      m_logs(context.logs),
      m_graphs(new GraphListModel(m_logs, this)),
      m_aligned(new AlignedModel(*context.theme, this)),
      m_differences(new DifferenceModel(*context.theme, this)),
      m_unified(new UnifiedModel(*context.theme, this)),
      m_request(context.engine, QStringLiteral("compare-%1").arg(quintptr(panel), 0, 16)) {
    auto* layout = flushColumn(panel);
    layout->addWidget(makeChoosers());
    m_page = new EmptyPage(makeContent());
    layout->addWidget(m_page, 1);
    layout->addWidget(new ProgressStrip(&m_request));
    connectEngine();
    clear();
}

} // namespace aotscope::views
