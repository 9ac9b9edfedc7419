#include "panels/problems_panel.h"

#include "common/background.h"
#include "common/empty_page.h"
#include "common/engine_client.h"
#include "common/format.h"
#include "common/give_keyboard.h"
#include "common/log_list.h"
#include "common/panel_layout.h"
#include "common/plain_words.h"
#include "common/selection_hub.h"
#include "load/graph_kind.h"
#include "panels/problem_model.h"
#include "style/ink.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QTreeView>

#include <utility>

namespace aotscope::views {

ProblemsPanel::ProblemsPanel(const ViewContext& context, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_model(new ProblemModel(context.theme, this)),
      m_view(new QTreeView),
      m_count(plainLabel()) {
    m_view->setModel(m_model);
    m_view->setObjectName(QStringLiteral("problems"));
    m_view->setAccessibleName(tr("Problems"));
    m_view->setRootIsDecorated(false);
    m_view->setUniformRowHeights(true);
    m_view->setAllColumnsShowFocus(true);
    m_view->header()->resizeSection(ProblemModel::What, 150);
    m_view->header()->resizeSection(ProblemModel::Where, 180);
    m_view->setContextMenuPolicy(Qt::CustomContextMenu);
    auto* filter = new QLineEdit;
    filter->setObjectName(filterFieldName());
    filter->setPlaceholderText(tr("Filter problems"));
    filter->setAccessibleName(tr("Filter problems"));
    filter->setClearButtonEnabled(true);
    filter->setMaximumWidth(360);
    setWords(m_count, Words::Dim);
    auto* bar = controlRow();
    bar->addWidget(filter, 1);
    bar->addWidget(m_count);
    bar->addStretch(1);
    m_pages = layOutPanel(this, bar, {m_view});
    setKeyboardPlace(this, m_view);

    connect(filter, &QLineEdit::textChanged, m_model, &ProblemModel::setFilter);
    connect(m_view, &QTreeView::clicked, this, &ProblemsPanel::rowActivated);
    connect(m_view, &QTreeView::activated, this, &ProblemsPanel::rowActivated);
    connect(m_view, &QWidget::customContextMenuRequested, this, [this](QPoint position) {
        if (const Problem* problem = m_model->problemAt(m_view->indexAt(position).row())) {
            QMenu menu(this);
            menu.addAction(tr("Copy message"), this,
                           [message = problem->message] { QApplication::clipboard()->setText(message); });
            menu.addAction(tr("Forget failed commands"), m_model, &ProblemModel::clearFailures);
            menu.exec(m_view->viewport()->mapToGlobal(position));
        }
    });
    connect(m_model, &QAbstractItemModel::modelReset, this, &ProblemsPanel::updateEmpty);
    connect(context.logs, &LogList::changed, this, &ProblemsPanel::followLog);
    connect(context.logs, &LogList::closed, this, [this](quint32 log) {
        m_asked.clear(); // A search in progress may be about the closed log.
        m_searches[log].request_stop();
        m_searches.erase(log);
        m_model->removeLog(log);
    });
    connect(context.logs, &LogList::namesChanged, this,
            [this] { m_model->setLogNames(m_context.logs->names()); });
    connect(context.engine, &EngineClient::graphReady, this, [this](const session::GraphSnapshotPtr& graph) {
        const session::LogSnapshotPtr log = m_context.logs->tryLog(graph->reference.log);
        const bool isListed =
            log && log->traceLog() && load::tryGraphKind(graph->reference.artifact).has_value();
        replace(
            QStringLiteral("graph %1 ").arg(graph->reference.log) + referenceText(graph->reference),
            [graph, isListed] { return problemsOfGraph(*graph, isListed); }, graph->problems.size());
    });
    connect(context.engine, &EngineClient::runReady, this, [this](const session::RunSnapshotPtr& run) {
        if (run->graph) {
            replace(
                QStringLiteral("run %1 ").arg(run->graph->reference.log) +
                    referenceText(run->graph->reference),
                [run] { return problemsOfRun(*run); }, run->nodes.size());
        }
    });
    updateEmpty();
}

ProblemsPanel::~ProblemsPanel() {
    for (auto& [log, search] : m_searches) {
        search.request_stop();
    }
}

void ProblemsPanel::followLog(const session::LogSnapshotPtr& log) {
    if (!log->complete) {
        return; // Many partial snapshots arrive while a log is read; its problems are listed at the end.
    }
    const QString source = QStringLiteral("log %1").arg(log->log);
    runInBackground<ProblemListPtr>(
        this, [log, before = m_model->problemsOf(source)] { return listOf(problemsOfLog(log), before); },
        [this, log, source](const ProblemListPtr& found) {
            if (m_context.logs->tryLog(log->log) == log) {
                m_model->setProblems(source, found);
                updateEmpty();
            }
        });
    findWarnings(log);
}

/// A log that has grown is searched anew.
void ProblemsPanel::findWarnings(const session::LogSnapshotPtr& log) {
    std::stop_source& search = m_searches[log->log];
    search.request_stop();
    search = std::stop_source();
    const QString source = QStringLiteral("warnings of log %1").arg(log->log);
    runInBackground<ProblemListPtr>(
        this,
        [log, stop = search.get_token(), before = m_model->problemsOf(source)] {
            return listOf(warningsOfLog(*log, stop), before);
        },
        [this, log, source](const ProblemListPtr& found) {
            if (m_context.logs->tryLog(log->log) == log) {
                m_model->setProblems(source, found);
                updateEmpty();
            }
        },
        Lane::Reading);
}

/// Finds the problems of a graph or run, on another thread if there are `many` nodes or problems.
void ProblemsPanel::replace(const QString& source, std::function<std::vector<Problem>()> find,
                            std::size_t many) {
    constexpr std::size_t few = 1'000;
    const quint64 asked = ++m_questions;
    m_asked[source] = asked;
    if (many <= few) {
        m_model->setProblems(source, listOf(find(), m_model->problemsOf(source)));
        return;
    }
    runInBackground<ProblemListPtr>(
        this,
        [find = std::move(find), before = m_model->problemsOf(source)] { return listOf(find(), before); },
        [this, source, asked](const ProblemListPtr& found) {
            const auto last = m_asked.find(source);
            if (last != m_asked.end() && last->second == asked) {
                m_model->setProblems(source, found);
            }
        });
}

void ProblemsPanel::addFailure(const base::Error& error) {
    Problem problem;
    problem.severity = Severity::Error;
    problem.what = tr("command failed");
    problem.where = text(error.place.file.empty() ? error.place.node : error.place.file);
    problem.message = text(error.text());
    m_model->setProblems(QStringLiteral("failure %1").arg(++m_failures), listOf({problem}));
}

void ProblemsPanel::rowActivated(const QModelIndex& index) {
    const Problem* problem = m_model->problemAt(index.row());
    if (!problem) {
        return;
    }
    // Copies, because the calls below may change the model.
    const std::optional<session::Selection> selection = problem->selection;
    const std::optional<load::RecordId> record = problem->record;
    const std::optional<quint32> log = problem->log;
    if (selection) {
        session::Selection target = *selection;
        if (target.artifact.artifact.empty()) {
            if (const auto compile = m_context.logs->tryIndex(target.artifact)) {
                target.artifact = m_context.logs->bestArtifact(target.artifact.log, *compile);
            }
        }
        m_context.selection->select(target, this);
    }
    if (record && log) {
        Q_EMIT recordRequested(*log, *record);
    }
}

void ProblemsPanel::updateEmpty() {
    if (m_model->total() == 0) {
        m_pages->showMessage(tr("No problems"),
                             m_context.logs->logs().empty()
                                 ? tr("Bad records, failed compiles and graph breaks of an open "
                                      "log appear here.")
                                 : tr("Every record could be read, and nothing failed."));
        return;
    }
    m_pages->showContent();
    m_count->setText(formatCount(m_model->total(), "problem", "problems") + QStringLiteral(", ") +
                     formatCount(m_model->errors(), "failure", "failures"));
}

} // namespace aotscope::views
