// The widgets of the Inlining dock.
#include "common/current_graph.h"
#include "common/elided_label.h"
#include "common/empty_page.h"
#include "common/fitting_column.h"
#include "common/give_keyboard.h"
#include "common/panel_layout.h"
#include "common/plain_words.h"
#include "hooks/capsule_delegate.h"
#include "hooks/capsule_model.h"
#include "hooks/capsule_view.h"
#include "hooks/gradient_view.h"
#include "hooks/hook_choices.h"
#include "hooks/hook_curves.h"
#include "hooks/hook_editor.h"
#include "hooks/hook_measures.h"
#include "hooks/hook_scatter.h"
#include "hooks/inlining_bar.h"
#include "hooks/inlining_panel.h"
#include "hooks/notice_strip.h"
#include "hooks/program_hooks.h"
#include "hooks/suggest_form.h"
#include "partition/current_partition.h"
#include "style/ink.h"

#include <QAction>
#include <QComboBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QResizeEvent>
#include <QSplitter>
#include <QTabWidget>
#include <QTreeView>

namespace aotscope::views {

InliningPanel::InliningPanel(const ViewContext& context, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_measures(new HookMeasures(context, this)),
      m_programHooks(new ProgramHooks(context, this)),
      m_bar(new InliningBar(context, m_measures)),
      m_model(new CapsuleModel(context.theme, this)),
      m_view(new QTreeView),
      m_filter(new QLineEdit),
      m_filterProblem(plainLabel()),
      m_hookOfChosen(choiceBox(tr("Hook for the chosen"), tr("Another hook for the chosen tensors"))),
      m_notice(new NoticeStrip),
      m_runTime(new NoticeStrip),
      m_recomputed(new NoticeStrip),
      m_capsule(new CapsuleView(context)),
      m_gradients(new GradientView),
      m_curves(new HookCurves(*context.theme)),
      m_scatter(new HookScatter(*context.theme)),
      m_gainBox(new QWidget),
      m_editor(new HookEditor(context)),
      m_suggest(new SuggestForm(context)),
      m_tabs(new QTabWidget),
      m_parts(new QSplitter(Qt::Horizontal)) {
    makeTabs();
    m_parts->setObjectName(QStringLiteral("inliningParts"));
    m_parts->setChildrenCollapsible(false);
    m_parts->addWidget(makeTable());
    m_parts->addWidget(m_tabs);
    m_parts->setSizes({580, 420});
    m_parts->setStretchFactor(0, 4);
    m_parts->setStretchFactor(1, 3);
    auto* content = new QWidget;
    auto* column = flushColumn(content);
    column->addWidget(m_bar);
    column->addWidget(m_notice);
    column->addWidget(m_runTime);
    column->addWidget(m_parts, 1);
    m_runTime->offer(tr("Show in its graph"), tr("Show the first of them in the graph of compiled autograd"));
    m_pages = new EmptyPage(content);
    flushColumn(this)->addWidget(m_pages);
    setKeyboardPlace(this, m_view);
    connectParts();
    followPartition();
}

QWidget* InliningPanel::makeTable() {
    m_view->setObjectName(QStringLiteral("inlining"));
    m_view->setAccessibleName(tr("Saved tensors and their hooks"));
    m_view->setModel(m_model);
    m_view->setItemDelegateForColumn(CapsuleModel::Way, new CapsuleDelegate(m_context.theme, m_view));
    m_view->setRootIsDecorated(false);
    m_view->setUniformRowHeights(true);
    m_view->setAllColumnsShowFocus(true);
    m_view->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_view->setContextMenuPolicy(Qt::CustomContextMenu);
    m_view->setSortingEnabled(true);
    m_view->sortByColumn(CapsuleModel::Bytes, Qt::DescendingOrder);
    static constexpr int widths[CapsuleModel::ColumnCount] = {124, 112, 100, 160, 92, 76,
                                                              92,  84,  230, 76,  80, 150};
    for (int column = 0; column < CapsuleModel::ColumnCount; ++column) {
        m_view->header()->resizeSection(column, widths[column]);
    }
    m_view->header()->setStretchLastSection(false);
    fitColumn(m_view, CapsuleModel::Way, 160);
    m_filter->setObjectName(filterFieldName());
    m_filter->setPlaceholderText(tr("filter: bytes>1MB  module:attn*  dtype:bf16  op:mm"));
    m_filter->setAccessibleName(tr("Filter"));
    m_filter->setClearButtonEnabled(true);
    m_filter->setToolTip(tr("Terms separated by spaces; all must hold (Ctrl+F): bytes>1MB, share>5%, "
                            "module:attn*, dtype:bf16, op:mm, category:…, name:…; other text is searched in "
                            "all columns; -term excludes"));
    setWords(m_filterProblem, Words::Warning);
    m_filterProblem->setContentsMargins(8, 0, 8, 4);
    m_filterProblem->setWordWrap(true);
    m_filterProblem->hide();
    // It is empty until a row is chosen.
    m_hookOfChosen->setMinimumContentsLength(14);
    m_hookOfChosen->setObjectName(QStringLiteral("hookOfChosen"));
    auto* label = plainLabel(tr("hook for the chosen"));
    setWords(label, Words::Dim);
    label->setBuddy(m_hookOfChosen);
    auto* row = controlRow();
    row->addWidget(m_filter, 1);
    row->addWidget(label);
    row->addWidget(m_hookOfChosen);
    auto* table = new QWidget;
    auto* column = flushColumn(table);
    column->addLayout(row);
    column->addWidget(m_filterProblem);
    m_tablePages = new EmptyPage(m_view);
    column->addWidget(m_tablePages, 1);
    m_recomputed->offer(tr("Save again"), tr("Save these tensors instead of recomputing them"));
    column->addWidget(m_recomputed);
    return table;
}

/// The two pictures, beside each other or one above the other as the space allows.
QWidget* InliningPanel::makeEffects() {
    auto* gain = choiceBox(tr("Vertical axis"), tr("Vertical axis of the picture of all hooks"));
    gain->setObjectName(QStringLiteral("gain"));
    gain->addItem(tr("↑ bytes saved"));
    gain->addItem(tr("↑ peak reduction"));
    connect(gain, &QComboBox::currentIndexChanged, this, [this](int index) {
        m_scatter->setGain(index == 0 ? HookScatter::Gain::BytesSaved : HookScatter::Gain::PeakFall);
    });
    auto* effects = new QSplitter(Qt::Horizontal);
    effects->setObjectName(QStringLiteral("inliningEffects"));
    effects->addWidget(m_curves);
    auto* axis = new ElidedLabel;
    axis->setText(tr("→ error of the worst gradient"));
    setWords(axis, Words::Dim);
    auto* row = new QHBoxLayout(m_gainBox);
    row->setContentsMargins(8, 2, 8, 2);
    row->addWidget(gain);
    row->addWidget(axis, 1);
    m_gainBox->hide();
    auto* points = new QWidget;
    auto* column = flushColumn(points);
    column->addWidget(m_gainBox);
    column->addWidget(m_scatter, 1);
    effects->addWidget(points);
    return effects;
}

void InliningPanel::makeTabs() {
    m_tabs->setObjectName(QStringLiteral("inliningTabs"));
    m_tabs->setDocumentMode(true);
    m_tabs->addTab(makeEffects(), tr("Memory and error"));
    m_tabs->addTab(m_capsule, tr("Pack and unpack"));
    m_tabs->addTab(m_gradients, tr("Gradients"));
    m_tabs->addTab(m_editor, tr("Text"));
    m_tabs->addTab(m_suggest, tr("Suggest"));
}

void InliningPanel::connectParts() {
    CurrentPartition* partition = m_context.partition;
    connect(partition, &CurrentPartition::partitionChanged, this, &InliningPanel::followPartition);
    connect(partition, &CurrentPartition::choicesChanged, this, &InliningPanel::showHookOfChosen);
    connect(m_measures, &HookMeasures::changed, this, &InliningPanel::showRows);
    // Resetting the model changes the current row, which must not select a node.
    connect(m_model, &QAbstractItemModel::modelAboutToBeReset, this, &InliningPanel::keepSelection);
    connect(m_model, &QAbstractItemModel::modelReset, this, &InliningPanel::restoreSelection);
    connect(m_model, &CapsuleModel::switched, this, &InliningPanel::switchRow);
    connect(m_view->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &InliningPanel::chooseRow);
    connect(m_view, &QTreeView::customContextMenuRequested, this, &InliningPanel::showMenu);
    connect(m_context.graph, &CurrentGraph::nodeChanged, this, &InliningPanel::followNode);
    connect(m_context.graph, &CurrentGraph::graphChanged, this, &InliningPanel::showPage);
    connect(m_runTime, &NoticeStrip::pressed, this, &InliningPanel::goToRunTimeHook);
    connect(m_filter, &QLineEdit::textChanged, this, &InliningPanel::applyFilter);
    connect(m_hookOfChosen, &QComboBox::activated, this, &InliningPanel::chooseHookOfChosen);
    connect(m_scatter, &HookScatter::chosen, this, &InliningPanel::chooseTensor);
    connect(m_tabs, &QTabWidget::currentChanged, this, &InliningPanel::showTextOfChosen);
    connect(m_bar, &InliningBar::ownTextAsked, this, &InliningPanel::writeHookForAll);
    connect(m_notice, &NoticeStrip::pressed, this, &InliningPanel::pressNotice);
    connect(m_recomputed, &NoticeStrip::pressed, this, [this] {
        if (const auto& plan = m_context.partition->choices().hooks) {
            m_context.partition->setHooks(withoutRecompute(*plan));
        }
    });
    connect(m_programHooks, &ProgramHooks::changed, this, &InliningPanel::showNotice);
    connect(partition, &CurrentPartition::choicesChanged, this, &InliningPanel::showNotice);
    connect(m_bar->compareForward(), &QAction::triggered, this, [this] {
        if (const auto& split = m_context.partition->snapshot(); split && split->hooks) {
            Q_EMIT compareRequested(split->hooks->forwardBefore, split->forward);
        }
    });
    connect(m_bar->compareBackward(), &QAction::triggered, this, [this] {
        if (const auto& split = m_context.partition->snapshot(); split && split->hooks) {
            Q_EMIT compareRequested(split->hooks->backwardBefore, split->backward);
        }
    });
    connect(m_bar->copyPython(), &QAction::triggered, this, &InliningPanel::copyPython);
    connect(m_bar->savePython(), &QAction::triggered, this, &InliningPanel::savePythonDialog);
    auto* toggle = new QAction(m_view);
    toggle->setShortcut(Qt::Key_Space);
    toggle->setShortcutContext(Qt::WidgetShortcut);
    m_view->addAction(toggle);
    connect(toggle, &QAction::triggered, this, &InliningPanel::toggleChosen);
}

void InliningPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    m_measures->setActive(true);
    showDetails();
}

void InliningPanel::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    m_measures->setActive(false);
}

/// In a tall dock the details are below the table.
void InliningPanel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    const bool isWide = event->size().width() > event->size().height() * 5 / 4;
    m_parts->setOrientation(isWide ? Qt::Horizontal : Qt::Vertical);
}

} // namespace aotscope::views
