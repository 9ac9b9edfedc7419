#include "panels/run_panel.h"

#include "common/chosen_row.h"
#include "common/current_graph.h"
#include "common/elided_label.h"
#include "common/empty_page.h"
#include "common/engine_client.h"
#include "common/format.h"
#include "common/give_keyboard.h"
#include "common/panel_layout.h"
#include "common/plain_words.h"
#include "common/run_device.h"
#include "common/theme.h"
#include "panels/run_model.h"
#include "style/ink.h"

#include <QCheckBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QTreeView>

namespace aotscope::views {

ir::SymbolBindings readBindings(const QString& text, QString* failure) {
    static const QRegularExpression binding(QStringLiteral("^\\s*([A-Za-z_]\\w*)\\s*=\\s*(-?\\d+)\\s*$"));
    static const QRegularExpression separators(QStringLiteral("[,;]"));
    ir::SymbolBindings bindings;
    for (const QString& part : text.split(separators, Qt::SkipEmptyParts)) {
        const QRegularExpressionMatch match = binding.match(part);
        bool fits = false;
        const qlonglong value = match.captured(2).toLongLong(&fits);
        if (match.hasMatch() && fits) {
            bindings[match.captured(1).toStdString()] = value;
        } else if (!part.trimmed().isEmpty()) {
            *failure =
                QObject::tr("“%1” does not give a symbol a value; write s0=8, s1=4").arg(part.trimmed());
        }
    }
    return bindings;
}

RunPanel::RunPanel(const ViewContext& context, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_model(new RunModel(context.theme, this)),
      m_view(new QTreeView),
      m_runButton(new QPushButton(tr("Run"))),
      m_cancelButton(new QPushButton(tr("Cancel"))),
      m_firstWrongButton(new QPushButton(tr("First wrong op"))),
      m_seed(new QLineEdit(QStringLiteral("0"))),
      m_symbols(new QLineEdit),
      m_summary(new ElidedLabel),
      m_notes(plainLabel()),
      m_request(context.engine, QStringLiteral("run")),
      m_comparison(context.engine, QStringLiteral("reference")) {
    m_view->setModel(m_model);
    m_view->setObjectName(QStringLiteral("run"));
    m_view->setAccessibleName(tr("Nodes of the run"));
    m_view->setRootIsDecorated(false);
    m_view->setUniformRowHeights(true);
    m_view->setAllColumnsShowFocus(true);
    m_view->setSortingEnabled(true);
    m_view->sortByColumn(RunModel::Position, Qt::AscendingOrder);
    static constexpr int widths[RunModel::ColumnCount] = {56, 180, 260, 84, 180, 84, 88, 88, 88, 72, 280};
    for (int column = 0; column < RunModel::ColumnCount; ++column) {
        m_view->header()->resizeSection(column, widths[column]);
    }
    m_runButton->setToolTip(tr("Run the shown graph node by node (F5)"));
    m_cancelButton->setToolTip(tr("Stop the run (Shift+F5)"));
    m_firstWrongButton->setToolTip(
        tr("Run beside a reference in float64 and select the first node whose error "
           "its dtype does not explain"));
    m_seed->setMaximumWidth(96);
    m_seed->setAccessibleName(tr("Seed of the inputs"));
    m_seed->setToolTip(tr("The same seed makes the same inputs"));
    m_symbols->setPlaceholderText(tr("symbols: s0=8, s1=4"));
    m_symbols->setAccessibleName(tr("Values of symbols"));
    m_symbols->setToolTip(tr("Values for symbolic sizes; the others have the example values of the log"));
    m_symbols->setMaximumWidth(240);
    setWords(m_summary, Words::Dim);
    m_summary->setObjectName(QStringLiteral("runSummary"));

    auto* bar = controlRow();
    auto* seedLabel = plainLabel(tr("seed"));
    setWords(seedLabel, Words::Dim);
    for (QWidget* widget : {static_cast<QWidget*>(m_runButton), static_cast<QWidget*>(m_cancelButton),
                            static_cast<QWidget*>(m_firstWrongButton), static_cast<QWidget*>(seedLabel),
                            static_cast<QWidget*>(m_seed), static_cast<QWidget*>(m_symbols)}) {
        bar->addWidget(widget);
    }
    const auto addFlag = [&](bool session::RunOptions::*flag, const QString& title, const QString& toolTip) {
        auto* box = new QCheckBox(title);
        box->setChecked(session::RunOptions().*flag);
        box->setToolTip(toolTip);
        bar->addWidget(box);
        m_flags.emplace_back(flag, box);
    };
    addFlag(&session::RunOptions::statistics, tr("statistics"),
            tr("Minimum, mean, maximum and NaN count of every tensor; takes one pass over each"));
    bar->addWidget(m_summary, 1);
    m_notes->setObjectName(QStringLiteral("runNotes"));
    setWords(m_notes, Words::Warning);
    m_notes->setWordWrap(true);
    m_notes->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_notes->setContentsMargins(8, 0, 8, 4);
    m_notes->hide();
    auto* layout = flushColumn(this);
    layout->addLayout(bar);
    layout->addWidget(m_notes);
    m_pages = new EmptyPage(m_view, this);
    layout->addWidget(m_pages, 1);
    setKeyboardPlace(this, m_view);

    connect(m_runButton, &QPushButton::clicked, this, &RunPanel::run);
    connect(m_cancelButton, &QPushButton::clicked, this, &RunPanel::cancel);
    connect(m_firstWrongButton, &QPushButton::clicked, this, &RunPanel::findFirstWrong);
    connect(m_seed, &QLineEdit::returnPressed, this, &RunPanel::run);
    connect(m_symbols, &QLineEdit::returnPressed, this, &RunPanel::run);
    whenChosen(m_view, this, [this](const QModelIndex& row) {
        const ir::NodeId node = m_model->nodeAt(row.row());
        if (!m_following && node.valid() && m_model->run() == m_context.graph->run()) {
            m_context.graph->selectNode(node, this);
        }
    });
    connect(m_model, &QAbstractItemModel::modelReset, this, [this] { followNode(nullptr); });
    connect(context.graph, &CurrentGraph::graphChanged, this, &RunPanel::followGraph);
    connect(context.graph, &CurrentGraph::nodeChanged, this, &RunPanel::followNode);
    connect(context.graph, &CurrentGraph::runChanged, this, &RunPanel::showRun);
    connect(&m_request, &RequestBase::changed, this, &RunPanel::followRequest);
    connect(&m_comparison, &RequestBase::changed, this, &RunPanel::followComparison);
    followGraph();
}

std::optional<session::RunOptions> RunPanel::readOptions() {
    session::RunOptions options;
    QString failure;
    bool isNumber = false;
    options.seed = m_seed->text().toULongLong(&isNumber);
    if (!isNumber) {
        failure = tr("The seed “%1” is not a number").arg(m_seed->text());
    }
    options.symbols = readBindings(m_symbols->text(), &failure);
    for (const auto& [flag, box] : m_flags) {
        options.*flag = box->isChecked();
    }
    options.device = chosenDevice(m_context);
    if (!failure.isEmpty()) {
        m_summary->setText(failure);
        return std::nullopt;
    }
    return options;
}

void RunPanel::run() {
    const session::GraphSnapshotPtr graph = m_context.graph->graph();
    if (!graph || !graph->graph) {
        return;
    }
    if (auto options = readOptions()) {
        m_request.ask(session::RunGraph{graph->reference, *std::move(options)});
    }
}

void RunPanel::findFirstWrong() {
    const session::GraphSnapshotPtr graph = m_context.graph->graph();
    if (!graph || !graph->graph) {
        return;
    }
    if (auto options = readOptions()) {
        m_comparison.ask(session::CompareWithReference{graph->reference, std::nullopt, *std::move(options)});
    }
}

void RunPanel::followComparison() {
    updateButtons();
    switch (m_comparison.state()) {
    case RequestBase::State::Waiting:
    case RequestBase::State::Running:
        say(m_comparison.waitsFor() ? waitText(*m_comparison.waitsFor()) : tr("Comparing with float64 …"));
        break;
    case RequestBase::State::Canceled:
        say(tr("Canceled."));
        break;
    case RequestBase::State::Failed:
        say(text(m_comparison.error()->text()));
        break;
    case RequestBase::State::Ready:
        showComparison();
        break;
    case RequestBase::State::Idle:
        break;
    }
}

void RunPanel::showComparison() {
    const session::ReferenceSnapshotPtr& compared = m_comparison.answer();
    if (!compared) {
        return;
    }
    const std::size_t checked = compared->nodes.size() - compared->count(session::NodeVerdict::NotChecked);
    const QString what = formatCount(checked, "tensor checked", "tensors checked");
    const QString early =
        compared->error ? tr("Ended early: %1  ·  ").arg(text(compared->error->message)) : QString();
    if (!compared->firstWrong) {
        say(early + tr("No wrong op against float64  ·  %1").arg(what));
        return;
    }
    const session::NodeError& wrong = compared->nodes[*compared->firstWrong];
    const ir::Node& node = compared->graph->graph->node(wrong.node);
    const QString details =
        tr("%1; relative error %2; total error %3, of which %4 comes from its inputs")
            .arg(text(node.target), formatNumber(wrong.own.relative), formatNumber(wrong.total.absolute),
                 formatNumber(wrong.inherited.absolute));
    say(early +
        tr("First wrong op: %1. Error %2 (%3 ulp); expected at most %4 for its dtype.")
            .arg(text(node.name), formatNumber(wrong.own.absolute), formatNumber(wrong.own.ulps),
                 formatNumber(wrong.allowed)) +
        QLatin1Char('\n') + details + QLatin1Char('\n') + what);
    if (compared->graph == m_context.graph->graph()) {
        m_context.graph->selectNode(wrong.node);
    }
}

QString RunPanel::summary() const {
    return m_summary->text();
}

void RunPanel::cancel() {
    m_request.cancel();
    m_comparison.cancel();
}

void RunPanel::say(const QString& message) {
    m_summary->setText(message.section(QLatin1Char('\n'), 0, 0));
    m_summary->setToolTip(plainToolTip(message));
}

void RunPanel::followRequest() {
    updateButtons();
    switch (m_request.state()) {
    case RequestBase::State::Waiting:
    case RequestBase::State::Running:
        say(m_request.waitsFor() ? waitText(*m_request.waitsFor()) : tr("Running …"));
        break;
    case RequestBase::State::Canceled:
        say(tr("Canceled."));
        break;
    case RequestBase::State::Failed:
        say(text(m_request.error()->text()));
        break;
    case RequestBase::State::Idle:
    case RequestBase::State::Ready:
        // The answer may be of another graph than the one shown.
        showSummary();
        break;
    }
    if (!m_context.graph->run()) {
        showNoRun();
    }
}

void RunPanel::updateButtons() {
    const session::GraphSnapshotPtr& graph = m_context.graph->graph();
    m_runButton->setEnabled(graph && graph->graph && !running());
    m_firstWrongButton->setEnabled(m_runButton->isEnabled());
    m_cancelButton->setEnabled(running());
}

void RunPanel::followGraph() {
    updateButtons();
    const session::GraphSnapshotPtr& graph = m_context.graph->graph();
    if (graph && graph->graph) {
        const std::vector<std::string> symbols = graph->graph->symbols();
        QStringList hints;
        for (const std::string& symbol : symbols) {
            const auto hint = graph->graph->symbolHints().find(symbol);
            hints.append(text(symbol) + (hint == graph->graph->symbolHints().end()
                                             ? QString()
                                             : QLatin1Char('=') + QString::number(hint->second)));
        }
        m_symbols->setEnabled(!symbols.empty());
        m_symbols->setPlaceholderText(symbols.empty() ? tr("no symbols") : hints.join(QStringLiteral(", ")));
    }
    showRun();
}

void RunPanel::showRun() {
    const session::RunSnapshotPtr& run = m_context.graph->run();
    m_model->setRun(run);
    showNotes(run);
    if (!run) {
        showNoRun();
    } else {
        m_pages->showContent();
    }
    if (run || !running()) {
        showSummary();
    }
}

void RunPanel::showSummary() {
    const session::RunSnapshotPtr& run = m_context.graph->run();
    if (!run) {
        say({});
        return;
    }
    std::uint64_t mismatches = 0;
    for (const session::NodeRun& node : run->nodes) {
        mismatches += node.mismatch.empty() ? 0 : 1;
    }
    QStringList parts = {formatCount(run->nodes.size(), "node", "nodes"), formatNanoseconds(run->nanoseconds),
                         tr("peak %1").arg(formatBytes(run->peakBytes))};
    if (mismatches > 0) {
        parts.append(formatCount(mismatches, "mismatch", "mismatches"));
    } else {
        parts.append(run->standIns.empty() ? tr("all as logged") : tr("shapes as logged, values synthetic"));
    }
    parts.append(text(run->backend));
    QString summary = parts.join(QStringLiteral("  ·  "));
    if (run->error) {
        summary = tr("Ended early: %1").arg(text(run->error->message)) + QStringLiteral("  ·  ") + summary;
    }
    m_summary->setText(summary);
    m_summary->setToolTip(plainToolTip(run->error ? text(run->error->text()) : summary));
}

/// While a graph is being run, shows the progress.
void RunPanel::showNoRun() {
    const session::GraphSnapshotPtr& graph = m_context.graph->graph();
    if (!graph || !graph->graph) {
        m_pages->showMessage(tr("No graph is selected"),
                             tr("Time, shape, bytes and statistics of every node appear here.\n"
                                "Pick a graph in the Compiles panel, then press Run."));
        return;
    }
    const QString what = referenceText(graph->reference);
    const auto* asked = m_request.askedFor<session::RunGraph>();
    if (asked != nullptr && asked->graph == graph->reference &&
        (m_request.isUnderWay() || m_request.gaveUp())) {
        m_pages->showRequest(&m_request, {.running = tr("Running %1 …").arg(what),
                                          .canceled = tr("The run of %1 was canceled").arg(what),
                                          .failed = tr("%1 cannot be run").arg(what)});
        return;
    }
    m_pages->showMessage(tr("%1 has not been run").arg(what),
                         tr("Time, shape, bytes and statistics of every node appear here.\n"
                            "Press Run to run the graph on synthetic inputs."));
}

void RunPanel::showNotes(const session::RunSnapshotPtr& run) {
    QStringList notes;
    for (const std::string& note : run ? run->notes : std::vector<std::string>()) {
        notes.append(QStringLiteral("⚠ ") + text(note));
    }
    constexpr qsizetype mostShown = 3;
    m_notes->setToolTip(plainToolTip(notes.join(QLatin1Char('\n'))));
    if (notes.size() > mostShown) {
        const QString more =
            formatCount(static_cast<std::uint64_t>(notes.size() - mostShown + 1), "more note", "more notes");
        notes = notes.mid(0, mostShown - 1);
        notes.append(more + tr(" (hover to read)"));
    }
    m_notes->setText(notes.join(QLatin1Char('\n')));
    m_notes->setVisible(!notes.isEmpty());
}

void RunPanel::followNode(QObject* source) {
    if (source == this || !m_model->run()) {
        return;
    }
    const int row = m_model->rowOf(m_context.graph->node());
    if (row >= 0 && row != m_view->currentIndex().row()) {
        m_following = true;
        m_view->setCurrentIndex(m_model->index(row, 0));
        m_following = false;
    }
}

} // namespace aotscope::views
