#include "partition/saved_panel.h"

#include "common/chosen_row.h"
#include "common/current_graph.h"
#include "common/elided_label.h"
#include "common/empty_page.h"
#include "common/file_jobs.h"
#include "common/fitting_column.h"
#include "common/format.h"
#include "common/give_keyboard.h"
#include "common/panel_layout.h"
#include "common/plain_words.h"
#include "common/retry_button.h"
#include "common/selection_hub.h"
#include "common/theme.h"
#include "common/verdict_label.h"
#include "explore/partition_csv.h"
#include "partition/current_partition.h"
#include "partition/saved_model.h"
#include "partition/why_text.h"
#include "style/ink.h"

#include <QFileDialog>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QSplitter>
#include <QTreeView>
#include <QVBoxLayout>

namespace aotscope::views {

SavedPanel::SavedPanel(const ViewContext& context, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_model(new SavedModel(context.theme, this)),
      m_view(new QTreeView),
      m_filter(new QLineEdit),
      m_problem(plainLabel()),
      m_footer(new ElidedLabel),
      m_export(new QPushButton(tr("CSV…"))),
      m_verdicts(new QWidget),
      m_savedVerdict(new VerdictLabel(*context.theme)),
      m_graphsVerdict(new VerdictLabel(*context.theme)),
      m_choicesBox(new QWidget),
      m_choices(new QListWidget),
      m_release(new QPushButton(tr("Undo"))),
      m_releaseAll(new QPushButton(tr("Undo all"))) {
    m_view->setModel(m_model);
    m_view->setObjectName(QStringLiteral("saved"));
    m_view->setAccessibleName(tr("Tensors saved for the backward"));
    m_view->setRootIsDecorated(false);
    m_view->setUniformRowHeights(true);
    m_view->setAllColumnsShowFocus(true);
    m_view->setSortingEnabled(true);
    m_view->sortByColumn(SavedModel::Bytes, Qt::DescendingOrder);
    static constexpr int widths[SavedModel::ColumnCount] = {150, 76, 76, 120, 300, 170, 120, 68, 68, 76};
    for (int column = 0; column < SavedModel::ColumnCount; ++column) {
        m_view->header()->resizeSection(column, widths[column]);
    }
    // The reason is a sentence, so it gets the remaining width.
    fitColumn(m_view, SavedModel::Reason, 200);
    m_filter->setObjectName(filterFieldName());
    m_filter->setPlaceholderText(tr("bytes>1MB  module:attn*  dtype:bf16  text"));
    m_filter->setAccessibleName(tr("Filter"));
    m_filter->setClearButtonEnabled(true);
    m_filter->setToolTip(tr("Terms separated by spaces; all must hold (Ctrl+F): bytes>1MB, share>5%, "
                            "from<100, module:attn*, dtype:bf16, name:…, shape:…, reason:…, source:…; other "
                            "text is searched in all columns; -term excludes"));
    setWords(m_problem, Words::Warning);
    m_problem->setContentsMargins(8, 0, 8, 4);
    m_problem->setWordWrap(true);
    m_problem->hide();
    setWords(m_footer, Words::Dim);
    m_footer->setContentsMargins(8, 2, 8, 2);
    m_export->setToolTip(tr("Write the rows shown, or the recomputed values, as CSV"));
    auto* bar = controlRow();
    bar->addWidget(m_filter, 1);
    bar->addWidget(m_export);
    makeChoices();
    auto* table = new QWidget;
    auto* column = flushColumn(table);
    column->addWidget(m_problem);
    column->addWidget(makeVerdicts());
    column->addWidget(m_view, 1);
    auto* foot = new QHBoxLayout;
    foot->setContentsMargins(0, 0, 8, 0);
    foot->addWidget(m_footer, 1);
    foot->addWidget(new RetryButton(context.partition->request()));
    column->addLayout(foot);
    auto* parts = new QSplitter(Qt::Horizontal);
    parts->addWidget(table);
    parts->addWidget(m_choicesBox);
    parts->setStretchFactor(0, 4);
    parts->setStretchFactor(1, 1);
    m_pages = layOutPanel(this, bar, {parts});
    setKeyboardPlace(this, m_filter);

    connect(context.selection, &SelectionHub::spotlightChanged, this, &SavedPanel::followSpotlight);
    connect(m_filter, &QLineEdit::textChanged, this, &SavedPanel::applyFilter);
    auto* menu = new QMenu(m_export);
    menu->setToolTipsVisible(true);
    connect(menu->addAction(tr("Saved tensors…")), &QAction::triggered, this,
            [this] { exportDialog(Rows::Saved); });
    connect(menu->addAction(tr("Recomputed values…")), &QAction::triggered, this,
            [this] { exportDialog(Rows::Recomputed); });
    menu->actions().front()->setToolTip(tr("Write the rows that are shown as CSV (Ctrl+Shift+S)"));
    menu->actions().back()->setToolTip(
        tr("Write what the backward computes again as CSV, with its cost and the rule (Ctrl+Alt+E)"));
    m_export->setMenu(menu);
    whenChosen(m_view, this, [this](const QModelIndex& row) { selectRow(row.row()); });
    // Resetting the model changes the current row, which must not select a node.
    connect(m_model, &QAbstractItemModel::modelAboutToBeReset, this, [this] { m_following = true; });
    connect(m_model, &QAbstractItemModel::modelReset, this, [this] {
        followNode();
        refreshFooter();
    });
    connect(context.partition, &CurrentPartition::partitionChanged, this, &SavedPanel::followPartition);
    connect(context.partition, &CurrentPartition::choicesChanged, this, &SavedPanel::followChoices);
    connect(context.graph, &CurrentGraph::nodeChanged, this, &SavedPanel::followNode);
    followPartition();
    followChoices();
}

QWidget* SavedPanel::makeVerdicts() {
    auto* grid = new QGridLayout(m_verdicts);
    grid->setContentsMargins(8, 0, 8, 0);
    grid->setSpacing(0);
    grid->setColumnStretch(1, 1);
    const auto add = [grid](int row, const QString& words, VerdictLabel* verdict) {
        auto* title = plainLabel(words);
        setWords(title, Words::Dim);
        grid->addWidget(title, row, 0);
        grid->addWidget(verdict, row, 1);
    };
    add(0, tr("Saved, beside the log"), m_savedVerdict);
    add(1, tr("Graphs, beside the log"), m_graphsVerdict);
    return m_verdicts;
}

void SavedPanel::makeChoices() {
    auto* title = plainLabel(tr("Your choices"));
    setWords(title, Words::Dim);
    m_choices->setAccessibleName(tr("Choices made for nodes"));
    m_choices->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_release->setToolTip(tr("Undo the selected choices (Delete)"));
    m_releaseAll->setToolTip(tr("Undo all choices (Ctrl+Shift+Z)"));
    auto* undo = new QAction(m_choices);
    undo->setShortcut(QKeySequence::Delete);
    undo->setShortcutContext(Qt::WidgetShortcut);
    m_choices->addAction(undo);
    auto* bar = new QHBoxLayout;
    bar->addWidget(title, 1);
    bar->addWidget(m_release);
    bar->addWidget(m_releaseAll);
    auto* layout = new QVBoxLayout(m_choicesBox);
    layout->setContentsMargins(8, 0, 8, 4);
    layout->setSpacing(4);
    layout->addLayout(bar);
    layout->addWidget(m_choices, 1);
    connect(undo, &QAction::triggered, this, &SavedPanel::releaseChosen);
    connect(m_release, &QPushButton::clicked, this, &SavedPanel::releaseChosen);
    connect(m_releaseAll, &QPushButton::clicked, this, &SavedPanel::releaseAll);
    connect(m_choices, &QListWidget::itemSelectionChanged, this,
            [this] { m_release->setEnabled(!m_choices->selectedItems().isEmpty()); });
    connect(m_choices, &QListWidget::itemActivated, this, [this](const QListWidgetItem* item) {
        m_context.selection->select(
            {*m_context.partition->joint(), item->data(Qt::UserRole).toString().toStdString()}, this);
    });
}

void SavedPanel::followPartition() {
    const CurrentPartition& split = *m_context.partition;
    if (m_written.isEmpty() || !split.isCurrent()) {
        m_written.clear();
    }
    m_model->setPartition(split.snapshot());
    m_export->setEnabled(split.snapshot() != nullptr);
    if (split.snapshot()) {
        m_pages->showContent();
    } else if (split.joint()) {
        m_pages->showRequest(m_context.partition->request(), split.requestWords());
    } else {
        m_pages->showMessage(tr("No joint graph"),
                             tr("What the forward saves for the backward appears here, and why.\nPick a "
                                "compile that has a joint graph: one whose inputs need gradients."));
    }
    followNode();
    refreshFooter();
}

void SavedPanel::followNode() {
    const auto& selected = m_context.selection->current();
    const int row = selected ? m_model->rowOf(selected->node) : -1;
    m_following = true;
    if (row >= 0) {
        m_view->setCurrentIndex(m_model->index(row, 0));
    } else {
        m_view->setCurrentIndex({});
    }
    m_following = false;
}

/// Selects the node in the shown graph if it has it, else in the joint graph.
void SavedPanel::selectRow(int row) {
    const session::SavedTensor* const tensor = m_model->tryRow(row);
    if (m_following || tensor == nullptr) {
        return;
    }
    const session::GraphSnapshotPtr& graph = m_context.graph->graph();
    const bool here = graph && graph->graph && graph->graph->tryFind(tensor->name);
    m_context.selection->select({here ? graph->reference : *m_context.partition->joint(), tensor->name},
                                this);
}

void SavedPanel::followChoices() {
    m_choices->clear();
    for (const passes::NodeChoice& choice : m_context.partition->choices().nodes) {
        const bool save = choice.choice == passes::Forced::Save;
        auto* item = new QListWidgetItem((save ? tr("save %1") : tr("recompute %1")).arg(text(choice.node)),
                                         m_choices);
        item->setData(Qt::UserRole, text(choice.node));
    }
    const bool any = m_choices->count() > 0;
    m_choicesBox->setVisible(any);
    m_releaseAll->setEnabled(any);
    m_release->setEnabled(false);
    refreshFooter();
}

void SavedPanel::releaseChosen() {
    std::vector<std::string> nodes;
    for (const QListWidgetItem* item : m_choices->selectedItems()) {
        nodes.push_back(item->data(Qt::UserRole).toString().toStdString());
    }
    m_context.partition->release(nodes);
}

void SavedPanel::releaseAll() {
    m_context.partition->releaseAll();
}

void SavedPanel::applyFilter() {
    const auto filter = session::SavedFilter::parse(m_filter->text().toStdString());
    m_problem->setVisible(!filter.ok());
    if (!filter) {
        // While a person types an invalid filter, the rows stay.
        m_problem->setText(tr("Column %1: %2 %3")
                               .arg(filter.error().place.column)
                               .arg(text(filter.error().message), text(filter.error().hint)));
        return;
    }
    m_model->setFilter(*filter);
}

/// While a partition with other choices is under way, the verdicts are about the old choices and hidden.
void SavedPanel::refreshVerdicts() {
    const session::PartitionSnapshotPtr& split = m_context.partition->snapshot();
    const bool isKnown =
        split && split->savedVerdict && split->graphsVerdict && m_context.partition->isCurrent();
    m_verdicts->setVisible(isKnown);
    m_savedVerdict->setVerdict(isKnown ? split->savedVerdict : std::nullopt,
                               tr("What is saved for the backward, beside the log's halves"));
    m_graphsVerdict->setVerdict(isKnown ? split->graphsVerdict : std::nullopt,
                                tr("Forward and backward, beside the log's halves"));
}

/// A picked range restricts the table to what is alive in it.
void SavedPanel::followSpotlight() {
    const SpotlightPtr& spotlight = m_context.selection->spotlight();
    const auto& joint = m_context.partition->joint();
    m_model->setOnly(spotlight && spotlight->filters && joint && spotlight->covers(*joint) ? spotlight
                                                                                           : nullptr);
    refreshFooter();
}

void SavedPanel::refreshFooter() {
    refreshVerdicts();
    const session::PartitionSnapshotPtr& split = m_context.partition->snapshot();
    if (!split) {
        m_footer->clear();
        return;
    }
    const auto shown = static_cast<std::size_t>(m_model->rowCount());
    QString line =
        shown == split->saved.size()
            ? formatCount(shown, "tensor", "tensors")
            : tr("%1 of %2").arg(formatCount(shown), formatCount(split->saved.size(), "tensor", "tensors"));
    if (m_model->isLimited()) {
        line += tr(" alive in the range picked in Memory (Esc there clears it)");
    }
    line += tr("  ·  %1  ·  %2 % of the peak of %3")
                .arg(formatBytes(m_model->shownBytes()))
                .arg(m_model->shownShare() * 100, 0, 'f', 1)
                .arg(formatBytes(split->profile->peak.bytes));
    line += tr("  ·  %1 recomputed, %2")
                .arg(formatCount(split->recomputed.size()), formatFlops(split->recomputedFlops));
    if (split->partitionerSource == session::PartitionerSource::Assumed) {
        line += tr("  ·  %1").arg(text(session::partitionerText(*split)));
    }
    if (m_context.partition->error()) {
        line = tr("▲ Not possible: %1 The split from before your last choice is shown; Ctrl+Z undoes the "
                  "choice.")
                   .arg(text(m_context.partition->error()->message));
    } else if (m_context.partition->wasCanceled()) {
        line = tr(
            "▲ Canceled. The split from before your last choice is shown; Retry splits again, Ctrl+Z undoes "
            "the choice.");
    } else if (!m_context.partition->isCurrent()) {
        line += tr("  ·  splitting again …");
    }
    m_footer->setText(m_written.isEmpty() ? line : m_written);
    m_footer->setToolTip(plainToolTip(m_footer->text()));
}

void SavedPanel::exportDialog(Rows rows) {
    const bool saved = rows == Rows::Saved;
    auto* dialog = new QFileDialog(this, saved ? tr("Export the saved tensors")
                                               : tr("Export what the backward computes again"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("csv"));
    dialog->setNameFilter(tr("Comma-separated values (*.csv)"));
    dialog->selectFile(saved ? QStringLiteral("saved.csv") : QStringLiteral("recomputed.csv"));
    connect(dialog, &QFileDialog::fileSelected, this,
            [this, rows](const QString& path) { exportTo(path, rows); });
    dialog->open();
}

void SavedPanel::exportTo(const QString& path, Rows rows, std::function<void(const QString&)> done) {
    const session::PartitionSnapshotPtr split = m_context.partition->snapshot();
    if (!split) {
        return;
    }
    m_context.files->write(
        path,
        [shown = m_model->csv(), split, rows](QIODevice& file, base::Progress&) {
            file.write(rows == Rows::Saved ? shown
                                           : QByteArray::fromStdString(session::recomputedCsv(*split)));
            return QString();
        },
        this,
        [this, done = std::move(done)](const FileResult& result) {
            m_written = result.message();
            refreshFooter();
            if (done) {
                done(result.written() ? QString() : result.message());
            }
        });
}

} // namespace aotscope::views
