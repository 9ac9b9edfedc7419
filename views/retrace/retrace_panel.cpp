#include "retrace/retrace_panel.h"

#include "common/breakpoint_list.h"
#include "common/compile_settings.h"
#include "common/elided_label.h"
#include "common/empty_page.h"
#include "common/engine_client.h"
#include "common/fitting_column.h"
#include "common/format.h"
#include "common/give_keyboard.h"
#include "common/log_list.h"
#include "common/panel_layout.h"
#include "common/plain_words.h"
#include "common/selection_hub.h"
#include "common/verdict_label.h"
#include "files/retrace_targets.h"
#include "retrace/pause_view.h"
#include "retrace/retrace_text.h"
#include "retrace/stage_bar.h"
#include "style/ink.h"

#include <QCheckBox>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QTextBrowser>
#include <QTreeWidget>
#include <QUrl>

#include <algorithm>

namespace aotscope::views {

namespace {

enum Column { Compile, Result, Nodes, Metadata, Time, ColumnCount };

QString metadataWord(const session::RetraceSnapshot& retraced) {
    if (!retraced.loggedMetadata) {
        return {};
    }
    return retraced.metadataDifferences.empty()
               ? QObject::tr("equal")
               : formatCount(retraced.metadataDifferences.size(), "difference", "differences");
}

} // namespace

RetracePanel::RetracePanel(const ViewContext& context, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_view(new QTreeWidget),
      m_verdict(new VerdictLabel(*context.theme)),
      m_details(new QTextBrowser),
      m_compileButton(new QPushButton(tr("Re-trace compile"))),
      m_logButton(new QPushButton(tr("Re-trace log"))),
      m_cancelButton(new QPushButton(tr("Cancel"))),
      m_compareButton(new QPushButton(tr("Compare"))),
      m_saveButton(new QPushButton(tr("Save…"))),
      m_summary(new ElidedLabel),
      m_request(context.engine, QStringLiteral("retrace")),
      m_pauseView(new PauseView),
      m_stageBar(new StageBar),
      m_stagesWanted(new QCheckBox(tr("stages"))),
      m_cacheWanted(new QCheckBox(tr("cache"))) {
    m_view->setObjectName(QStringLiteral("retrace"));
    m_view->setAccessibleName(tr("Compiles traced again"));
    m_view->setHeaderLabels({tr("compile"), tr("graph"), tr("nodes"), tr("metadata"), tr("time")});
    m_view->setRootIsDecorated(false);
    m_view->setUniformRowHeights(true);
    m_view->setAllColumnsShowFocus(true);
    static constexpr int widths[ColumnCount] = {120, 320, 72, 112, 84};
    for (int column = 0; column < ColumnCount; ++column) {
        m_view->header()->resizeSection(column, widths[column]);
    }
    m_details->setAccessibleName(tr("Result of the selected compile"));
    m_details->setOpenLinks(false);
    m_compileButton->setToolTip(
        tr("Compile the selected compile's Dynamo graph again, without Python (Ctrl+Shift+R)"));
    m_logButton->setToolTip(tr("Compile every Dynamo graph of the log again (Ctrl+Shift+L)"));
    m_cancelButton->setToolTip(tr("Stop tracing (Shift+F5)"));
    m_compareButton->setToolTip(tr("Show the traced graph beside PyTorch's (Enter on its row)"));
    m_saveButton->setToolTip(
        tr("Write the graphs and metadata of every row, and a report, into a new folder (Ctrl+Alt+G)"));
    setWords(m_summary, Words::Dim);

    fitColumn(m_view, Result, 160);
    m_view->headerItem()->setTextAlignment(Nodes, Qt::AlignRight | Qt::AlignVCenter);
    m_view->headerItem()->setTextAlignment(Time, Qt::AlignRight | Qt::AlignVCenter);
    auto* bar = controlRow();
    for (QPushButton* button :
         {m_compileButton, m_logButton, m_cancelButton, m_compareButton, m_saveButton}) {
        bar->addWidget(button);
    }
    m_stagesWanted->setToolTip(tr("Show each stage from Dynamo's graph to the forward that runs; takes a few "
                                  "more traces of every compile"));
    bar->addWidget(m_stagesWanted);
    m_cacheWanted->setToolTip(
        tr("Take compiles that were made before from the cache of compiled functions, and "
           "keep new ones there; the result says hit, miss or bypass, and why"));
    bar->addWidget(m_cacheWanted);
    // Separates the two texts.
    bar->addSpacing(12);
    bar->addWidget(m_summary, 1);
    auto* parts = new QSplitter(Qt::Horizontal);
    parts->addWidget(m_view);
    auto* result = new QWidget;
    auto* resultColumn = flushColumn(result);
    resultColumn->addWidget(m_verdict);
    resultColumn->addWidget(m_details, 1);
    parts->addWidget(result);
    parts->setStretchFactor(0, 3);
    parts->setStretchFactor(1, 2);
    m_pauseView->hide();
    auto* whole = new QSplitter(Qt::Horizontal);
    whole->addWidget(m_pauseView);
    whole->addWidget(parts);
    auto* content = new QWidget;
    auto* inside = flushColumn(content);
    inside->addWidget(m_stageBar);
    inside->addWidget(whole, 1);
    m_pages = new EmptyPage(content);
    // The empty page tells a person to press these buttons, so they stay visible.
    auto* outer = flushColumn(this);
    outer->addLayout(bar);
    outer->addWidget(m_pages, 1);
    showNoResults();
    setKeyboardPlace(this, m_view);

    connect(m_compileButton, &QPushButton::clicked, this, &RetracePanel::retraceCompile);
    connect(m_logButton, &QPushButton::clicked, this, &RetracePanel::retraceLog);
    connect(m_cancelButton, &QPushButton::clicked, this, &RetracePanel::cancel);
    connect(m_compareButton, &QPushButton::clicked, this, &RetracePanel::compareCurrent);
    connect(m_saveButton, &QPushButton::clicked, this, &RetracePanel::saveDialog);
    connect(m_details, &QTextBrowser::anchorClicked, this, &RetracePanel::followLink);
    connect(m_view, &QTreeWidget::currentItemChanged, this, &RetracePanel::showDetails);
    connect(m_view, &QTreeWidget::itemActivated, this, &RetracePanel::compareCurrent);
    connect(context.selection, &SelectionHub::selectionChanged, this, &RetracePanel::updateButtons);
    connect(context.logs, &LogList::closed, this, &RetracePanel::forgetLog);
    connect(context.logs, &LogList::namesChanged, this, &RetracePanel::nameRows);
    connect(&m_request, &RequestBase::answered, this, [this] { add(m_request.takeAnswer()); });
    connect(&m_request, &RequestBase::told, this, [this](const session::Event& event) {
        if (const auto* pause = std::get_if<session::TracePausePtr>(&event.body)) {
            showPause(*pause);
        }
    });
    connect(&m_request, &RequestBase::changed, this, &RetracePanel::followRequest);
    connect(m_stageBar, &StageBar::chosen, this, &RetracePanel::selectStage);
    connect(m_stageBar, &StageBar::compareRequested, this, &RetracePanel::compareRequested);
    connect(m_pauseView, &PauseView::answered, this,
            [this](const session::PauseAnswer& given) { answer(given.kind, given.fact); });
    connect(m_pauseView, &PauseView::graphRequested, this, [this] {
        if (m_pause) {
            selectGraph(m_pause->partial);
        }
    });
    updateButtons();
}

void RetracePanel::setStagesWanted(bool wanted) {
    m_stagesWanted->setChecked(wanted);
}

void RetracePanel::setCacheWanted(bool wanted) {
    m_cacheWanted->setChecked(wanted);
}

void RetracePanel::retraceCompile() {
    traceCompile(false);
}

void RetracePanel::moveCompile() {
    traceCompile(true);
}

void RetracePanel::traceCompile(bool pauseAtStart) {
    const std::optional<session::Selection>& selected = m_context.selection->current();
    const session::LogSnapshotPtr log = selected ? m_context.logs->tryLog(selected->artifact.log) : nullptr;
    if (!log) {
        return;
    }
    std::vector<session::RetraceTarget> targets = session::retraceTargets(*log, selected->artifact);
    std::erase_if(targets,
                  [](const session::RetraceTarget& target) { return !target.program && !target.logged; });
    if (targets.empty()) {
        m_summary->setText(tr("This compile has no Dynamo graph and no joint or inference graph."));
        return;
    }
    session::Retrace command{log->log, std::move(targets), {}};
    command.pauseAtStart = pauseAtStart;
    send(std::move(command));
}

void RetracePanel::retraceLog() {
    if (const auto& selected = m_context.selection->current()) {
        send({selected->artifact.log, {}, {}});
    }
}

void RetracePanel::send(session::Retrace command) {
    endPause();
    command.breakpoints = m_context.breakpoints->all();
    command.options.torch = m_context.settings->torch();
    command.options.config = m_context.settings->options();
    command.options.stages = m_stagesWanted->isChecked();
    command.options.cache = m_cacheWanted->isChecked();
    m_tracesOne = command.targets.size() == 1;
    m_request.ask(std::move(command));
}

void RetracePanel::selectGraph(const session::GraphSnapshotPtr& graph) {
    m_context.selection->select({graph->reference, {}}, this);
}

/// Keeps the selected node if the stage has a corresponding one.
void RetracePanel::selectStage(const session::ArtifactReference& graph) {
    const session::RetraceSnapshotPtr& retraced = m_stageBar->retraced();
    const std::optional<session::Selection>& selected = m_context.selection->current();
    const std::size_t none = retraced->stages.size();
    const std::size_t from = selected ? session::stageOf(*retraced, selected->artifact).value_or(none) : none;
    const std::size_t to = session::stageOf(*retraced, graph).value_or(none);
    std::string name;
    if (from != none && to != none) {
        const auto node = retraced->stages[from].graph->graph->tryFind(selected->node);
        const ir::NodeId same = node ? session::nodeInStage(*retraced, from, *node, to) : ir::NodeId();
        name = same.valid() ? retraced->stages[to].graph->graph->node(same).name : std::string();
    }
    m_context.selection->select({graph, name}, this);
}

void RetracePanel::cancel() {
    m_request.cancel();
}

void RetracePanel::nameRows() {
    for (int row = 0; row < m_view->topLevelItemCount(); ++row) {
        nameRow(row);
    }
}

/// With several logs the name includes the log, because each may have a compile 0/0.
void RetracePanel::nameRow(int row) {
    const session::RetraceSnapshot& traced = *m_results[static_cast<std::size_t>(row)];
    m_view->topLevelItem(row)->setText(Compile,
                                       inLog(text(traced.target.name), m_context.logs->nameOf(traced.log)));
}

/// A compile that is re-traced again keeps its row.
void RetracePanel::add(const session::RetraceSnapshotPtr& retraced) {
    const auto same = std::ranges::find_if(m_results, [&](const session::RetraceSnapshotPtr& known) {
        return known->log == retraced->log && known->target == retraced->target;
    });
    const auto place = static_cast<int>(same - m_results.begin());
    QTreeWidgetItem* item = nullptr;
    if (same == m_results.end()) {
        m_results.push_back(retraced);
        item = new QTreeWidgetItem(m_view);
    } else {
        *same = retraced;
        item = m_view->topLevelItem(place);
    }
    const session::LogSnapshotPtr log = m_context.logs->tryLog(retraced->log);
    nameRow(place);
    item->setToolTip(Compile, log ? plainToolTip(titleOf(*log)) : QString());
    item->setText(Result, retraceResultText(*retraced));
    item->setToolTip(Result, plainToolTip(retraceResultText(*retraced)));
    item->setText(Nodes, retraced->made ? formatCount(retraced->made->graph->size()) : QString());
    item->setText(Metadata, metadataWord(*retraced));
    item->setText(Time, retraced->result ? formatNanoseconds(retraced->result->nanoseconds) : QString());
    item->setTextAlignment(Nodes, Qt::AlignRight | Qt::AlignVCenter);
    item->setTextAlignment(Time, Qt::AlignRight | Qt::AlignVCenter);
    m_pages->showContent();
    const auto& selected = m_context.selection->current();
    if (retraced->made && selected && selected->artifact == m_shownPause) {
        selectGraph(retraced->made); // The partial graph that was shown has become complete.
    }
    if (m_view->currentItem() == nullptr || (m_tracesOne && m_view->currentItem() != item)) {
        m_view->setCurrentItem(item);
    } else if (m_view->currentItem() == item) {
        showDetails();
    }
}

void RetracePanel::say(const QString& message) {
    m_summary->setText(message.section(QLatin1Char('\n'), 0, 0));
    m_summary->setToolTip(plainToolTip(message));
}

void RetracePanel::followRequest() {
    if (running()) {
        say(m_request.waitsFor() ? waitText(*m_request.waitsFor()) : tr("Tracing …"));
        updateButtons();
    } else {
        end();
    }
    if (m_results.empty()) {
        showNoResults();
    }
}

/// Shows the progress of the first trace, or how to start one.
void RetracePanel::showNoResults() {
    if (running() || m_request.gaveUp()) {
        const bool one = m_tracesOne;
        m_pages->showRequest(
            &m_request,
            {.running = one ? tr("Tracing the compile …") : tr("Tracing the compiles …"),
             .canceled = tr("Tracing was canceled"),
             .failed = one ? tr("The compile cannot be traced") : tr("The compiles cannot be traced")});
        return;
    }
    m_pages->showMessage(
        tr("Nothing has been traced again"),
        tr("Press “Re-trace compile” (Ctrl+Shift+R): the logged Dynamo graph is compiled on this machine, "
           "without Python, and compared with PyTorch's joint or inference graph."));
}

void RetracePanel::end() {
    endPause();
    m_pauseView->setVisible(false);
    m_view->parentWidget()->setVisible(true);
    m_details->parentWidget()->setVisible(true);
    m_stageBar->setVisible(m_stageBar->retraced() != nullptr);
    m_shownPause = {};
    updateButtons();
    if (m_request.gaveUp()) {
        say(m_request.error() ? text(m_request.error()->text()) : tr("Canceled."));
    } else {
        showSummary();
    }
}

void RetracePanel::showSummary() {
    m_summary->setText(retraceSummary(m_results));
    m_summary->setToolTip({});
}

session::RetraceSnapshotPtr RetracePanel::current() const {
    const int row = m_view->indexOfTopLevelItem(m_view->currentItem());
    return row < 0 ? nullptr : m_results[static_cast<std::size_t>(row)];
}

void RetracePanel::showDetails() {
    const session::RetraceSnapshotPtr retraced = current();
    m_verdict->setVerdict(retraced ? std::optional(retraced->verdict) : std::nullopt,
                          tr("The graph traced again, beside the log's"));
    m_details->setHtml(retraced ? retraceHtml(*retraced) : QString());
    m_stageBar->showStages(retraced);
    m_context.selection->setStages(m_stageBar->retraced());
    updateButtons();
}

/// "node:mul" is a node of the traced graph; "graph:program" and "graph:logged" are graphs in the log.
void RetracePanel::followLink(const QUrl& link) {
    const session::RetraceSnapshotPtr retraced = current();
    if (retraced && link.scheme() == QLatin1String("graph")) {
        const bool isLogged = link.path() == QLatin1String("logged");
        if (const session::GraphSnapshotPtr& graph = isLogged ? retraced->logged : retraced->program) {
            selectGraph(graph);
        }
        return;
    }
    if (retraced && retraced->program && link.scheme() == QLatin1String("node")) {
        m_context.selection->select({retraced->program->reference, link.path().toStdString()}, this);
    }
}

void RetracePanel::compareCurrent() {
    const session::RetraceSnapshotPtr retraced = current();
    if (retraced && retraced->made && retraced->logged) {
        Q_EMIT compareRequested(retraced->made->reference, retraced->logged->reference);
    }
}

void RetracePanel::forgetLog(quint32 log) {
    for (std::size_t i = m_results.size(); i-- > 0;) {
        if (m_results[i]->log == log) {
            m_results.erase(m_results.begin() + static_cast<std::ptrdiff_t>(i));
            delete m_view->takeTopLevelItem(static_cast<int>(i));
        }
    }
    if (m_results.empty()) {
        showNoResults();
    }
    showDetails();
}

void RetracePanel::updateButtons() {
    const bool selected = m_context.selection->current().has_value();
    m_compileButton->setEnabled(selected && !running());
    m_logButton->setEnabled(selected && !running());
    m_cancelButton->setEnabled(running());
    const session::RetraceSnapshotPtr retraced = current();
    m_compareButton->setEnabled(retraced && retraced->made && retraced->logged);
    m_saveButton->setEnabled(!m_results.empty());
}

} // namespace aotscope::views
