#include "panels/run_panel.h"

#include "common/chosen_row.h"
#include "common/current_graph.h"
#include "common/elided_label.h"
#include "common/empty_page.h"
#include "common/engine_client.h"
#include "common/follow_job.h"
#include "common/format.h"
#include "common/give_keyboard.h"
#include "common/panel_layout.h"
#include "common/plain_words.h"
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
            *failure = QObject::tr("“%1” is no binding; write s0=8, s1=4").arg(part.trimmed());
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
      m_seed(new QLineEdit(QStringLiteral("0"))),
      m_symbols(new QLineEdit),
      m_statistics(new QCheckBox(tr("statistics"))),
      m_summary(new ElidedLabel),
      m_notes(plainLabel()) {
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
    m_seed->setMaximumWidth(96);
    m_seed->setAccessibleName(tr("Seed of the inputs"));
    m_seed->setToolTip(tr("The same seed makes the same inputs"));
    m_symbols->setPlaceholderText(tr("symbols: s0=8, s1=4"));
    m_symbols->setAccessibleName(tr("Values of symbols"));
    m_symbols->setToolTip(tr("Values for symbolic sizes; the others take the log's examples"));
    m_symbols->setMaximumWidth(240);
    m_statistics->setChecked(true);
    m_statistics->setToolTip(
        tr("Minimum, mean, maximum and NaN count of every tensor; costs a pass over each"));
    setWords(m_summary, Words::Dim);

    auto* bar = controlRow();
    auto* seedLabel = plainLabel(tr("seed"));
    setWords(seedLabel, Words::Dim);
    for (QWidget* widget : {static_cast<QWidget*>(m_runButton), static_cast<QWidget*>(m_cancelButton),
                            static_cast<QWidget*>(seedLabel), static_cast<QWidget*>(m_seed),
                            static_cast<QWidget*>(m_symbols), static_cast<QWidget*>(m_statistics)}) {
        bar->addWidget(widget);
    }
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
    followJob(context.engine, this, m_job,
              {.running = tr("Running …"),
               .say = [this](const QString& words) { m_summary->setText(words); },
               .end = [this](quint64 job, const QString& message) { end(job, message); }});
    followGraph();
}

void RunPanel::run() {
    const session::GraphSnapshotPtr graph = m_context.graph->graph();
    if (!graph || !graph->graph) {
        return;
    }
    session::RunGraph command;
    command.graph = graph->reference;
    QString failure;
    bool isNumber = false;
    command.options.seed = m_seed->text().toULongLong(&isNumber);
    if (!isNumber) {
        failure = tr("The seed “%1” is no number").arg(m_seed->text());
    }
    command.options.symbols = readBindings(m_symbols->text(), &failure);
    command.options.statistics = m_statistics->isChecked();
    if (!failure.isEmpty()) {
        m_summary->setText(failure);
        return;
    }
    m_summary->setText(tr("Running …"));
    m_job = m_context.engine->send(std::move(command), QStringLiteral("run"));
    updateButtons();
}

QString RunPanel::summary() const {
    return m_summary->text();
}

void RunPanel::cancel() {
    if (m_job != 0) {
        m_context.engine->cancel(m_job);
    }
}

void RunPanel::end(quint64 job, const QString& message) {
    if (job != m_job || job == 0) {
        return;
    }
    m_job = 0;
    updateButtons();
    if (!message.isEmpty()) {
        m_summary->setText(message.section(QLatin1Char('\n'), 0, 0));
        m_summary->setToolTip(plainToolTip(message));
    } else if (!m_context.graph->run()) {
        m_summary->clear(); // Another graph is shown by now.
    }
}

void RunPanel::updateButtons() {
    const session::GraphSnapshotPtr& graph = m_context.graph->graph();
    m_runButton->setEnabled(graph && graph->graph && m_job == 0);
    m_cancelButton->setEnabled(m_job != 0);
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
        const bool graph = m_context.graph->graph() && m_context.graph->graph()->graph;
        m_pages->showMessage(
            graph ? tr("%1 has not been run").arg(referenceText(m_context.graph->graph()->reference))
                  : tr("No graph is selected"),
            tr("Time, shape, bytes and statistics of every node appear here.\n%1")
                .arg(graph ? tr("Press Run to run the graph on made-up inputs.")
                           : tr("Pick a graph in the Compiles panel, then press Run.")));
        if (m_job == 0) {
            m_summary->clear();
        }
        return;
    }
    m_pages->showContent();
    std::uint64_t mismatches = 0;
    for (const session::NodeRun& node : run->nodes) {
        mismatches += node.mismatch.empty() ? 0 : 1;
    }
    QStringList parts = {formatCount(run->nodes.size(), "node", "nodes"), formatNanoseconds(run->nanoseconds),
                         tr("peak %1").arg(formatBytes(run->peakBytes))};
    if (mismatches > 0) {
        parts.append(formatCount(mismatches, "mismatch", "mismatches"));
    } else {
        parts.append(run->standIns.empty() ? tr("all as logged") : tr("shapes as logged, values made up"));
    }
    parts.append(text(run->backend));
    QString summary = parts.join(QStringLiteral("  ·  "));
    if (run->error) {
        summary = tr("Ended early: %1").arg(text(run->error->message)) + QStringLiteral("  ·  ") + summary;
    }
    m_summary->setText(summary);
    m_summary->setToolTip(plainToolTip(run->error ? text(run->error->text()) : summary));
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
