#include "window/job_status.h"

#include "common/engine_client.h"
#include "common/file_jobs.h"
#include "common/format.h"
#include "common/graph_totals.h"
#include "common/icons.h"
#include "common/plain_words.h"
#include "common/theme.h"

#include <QElapsedTimer>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QTimer>
#include <QToolButton>

#include <algorithm>
#include <map>
#include <optional>

namespace aotscope::views {

namespace {
constexpr qint64 patienceMilliseconds = 300;
constexpr int refreshMilliseconds = 100;

qint64 now() {
    QElapsedTimer clock;
    clock.start();
    return clock.msecsSinceReference();
}
} // namespace

struct JobStatus::Job {
    QString what;
    base::ProgressState state;
    /// The job that it waits for.
    std::optional<session::Waiting> wait;
    /// Milliseconds on the steady clock.
    qint64 since = 0;
    bool background = false;
};

struct JobStatus::Jobs {
    std::map<JobId, Job> running;
};

JobStatus::~JobStatus() = default;

bool JobStatus::busy() const {
    return !m_jobs->running.empty();
}

JobStatus::JobStatus(EngineClient* engine, FileJobs* files, ThemeSource* theme, QWidget* parent)
    : QWidget(parent),
      m_engine(engine),
      m_files(files),
      m_theme(theme),
      m_jobs(std::make_unique<Jobs>()),
      m_timer(new QTimer(this)),
      m_text(plainLabel()),
      m_bar(new QProgressBar),
      m_cancel(new QToolButton),
      m_state(new QLabel) {
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(4, 0, 8, 0);
    layout->setSpacing(8);
    m_state->setTextFormat(Qt::RichText);
    m_bar->setFixedWidth(160);
    m_bar->setFixedHeight(8);
    m_bar->setTextVisible(false);
    m_bar->setAccessibleName(tr("Progress"));
    m_cancel->setText(tr("Cancel"));
    m_cancel->setIcon(themedIcon(QStringLiteral("cancel"), *theme));
    m_cancel->setIconSize({12, 12});
    m_cancel->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    // Keeps its space when hidden; otherwise the status bar would change its height and move the docks.
    QSizePolicy keeps = m_cancel->sizePolicy();
    keeps.setRetainSizeWhenHidden(true);
    m_cancel->setSizePolicy(keeps);
    m_cancel->setToolTip(tr("Stop this (Shift+F5 stops everything)"));
    for (QWidget* widget : {static_cast<QWidget*>(m_text), static_cast<QWidget*>(m_bar),
                            static_cast<QWidget*>(m_cancel), static_cast<QWidget*>(m_state)}) {
        layout->addWidget(widget);
    }
    m_timer->setInterval(refreshMilliseconds);
    connect(m_timer, &QTimer::timeout, this, &JobStatus::refresh);
    connect(m_cancel, &QToolButton::clicked, this, [this] { cancel(m_shown); });
    connectJobs();
    connect(theme, &ThemeSource::changed, this, &JobStatus::refresh);
    refresh();
}

void JobStatus::connectJobs() {
    connect(m_engine, &EngineClient::started, this,
            [this](quint64 job, const QString& tag, const QString& command) {
                begin({Owner::Engine, job}, command, tag == GraphTotalsCollector::tag());
            });
    connect(m_engine, &EngineClient::waiting, this,
            [this](quint64 job, const QString& tag, const session::Waiting& wait) {
                begin({Owner::Engine, job}, text(wait.command), tag == GraphTotalsCollector::tag());
                m_jobs->running[{Owner::Engine, job}].wait = wait;
            });
    connect(m_engine, &EngineClient::progressed, this,
            [this](quint64 job, const QString&, const base::ProgressState& state) {
                const auto found = m_jobs->running.find({Owner::Engine, job});
                if (found != m_jobs->running.end()) {
                    found->second.state = state;
                }
            });
    const auto endOfEngine = [this](quint64 job) { end({Owner::Engine, job}); };
    connect(m_engine, &EngineClient::finished, this, endOfEngine);
    connect(m_engine, &EngineClient::canceled, this, endOfEngine);
    connect(m_engine, &EngineClient::failed, this, endOfEngine);
    connect(m_files, &FileJobs::started, this, [this](quint64 job, const QString& what) {
        begin({Owner::Files, job}, what, false);
    });
    connect(m_files, &FileJobs::ended, this, [this](quint64 job) { end({Owner::Files, job}); });
}

void JobStatus::begin(JobId job, const QString& what, bool background) {
    const bool wasBusy = busy();
    m_jobs->running[job] = {what, {}, {}, now(), background};
    if (!m_timer->isActive()) {
        m_timer->start();
    }
    refresh();
    if (!wasBusy) {
        Q_EMIT busyChanged(true);
    }
}

bool JobStatus::progressShown() const {
    return m_shown.first != Owner::None;
}

void JobStatus::end(JobId job) {
    m_jobs->running.erase(job);
    if (m_jobs->running.empty()) {
        m_timer->stop();
        refresh();
        Q_EMIT busyChanged(false);
    }
}

void JobStatus::cancel(JobId job) {
    if (job.first == Owner::Engine) {
        m_engine->cancel(job.second);
    } else if (job.first == Owner::Files) {
        m_files->cancel(job.second);
    }
}

void JobStatus::cancelAll() {
    // A copy, because canceling may emit signals at once.
    const auto jobs = m_jobs->running;
    for (const auto& [job, entry] : jobs) {
        cancel(job);
    }
}

/// Whether a job waits for a person, or for such a job.
bool JobStatus::isPaused(const Job& job) const {
    if (!job.wait) {
        return job.state.waits;
    }
    const auto behind = m_jobs->running.find({Owner::Engine, job.wait->behind});
    return behind != m_jobs->running.end() && behind->second.state.waits;
}

/// The job to show, by rank: working jobs; jobs that wait for a paused job, such as the one that a person has
/// just started; the paused job itself; jobs that wait for a working one.
JobStatus::JobId JobStatus::mostTelling() const {
    const auto rank = [this](const Job& job) {
        return isPaused(job) ? (job.wait ? 1 : 2) : (job.wait ? 3 : 0);
    };
    JobId chosen = {Owner::None, 0};
    for (const auto& [job, entry] : m_jobs->running) {
        const bool isTelling = chosen.first == Owner::None || rank(entry) < rank(m_jobs->running.at(chosen));
        if (isTelling && !entry.background && now() - entry.since >= patienceMilliseconds) {
            chosen = job;
        }
    }
    return chosen;
}

QString JobStatus::stateText() const {
    const auto& running = m_jobs->running;
    const auto isEngines = [](const auto& entry) { return entry.first.first == Owner::Engine; };
    const auto waits = [this](const auto& entry) { return isPaused(entry.second); };
    if (running.empty()) {
        return tr("engine idle");
    }
    if (std::ranges::all_of(running, waits)) {
        return tr("engine paused");
    }
    return std::ranges::any_of(running, isEngines) ? tr("engine working") : tr("writing");
}

void JobStatus::refresh() {
    m_shown = mostTelling();
    if (m_shown.first == Owner::Files) {
        m_jobs->running[m_shown].state = m_files->state(m_shown.second);
    }
    m_text->setVisible(progressShown());
    m_cancel->setVisible(progressShown());
    // A busy indicator would look like progress.
    m_bar->setVisible(progressShown() && !m_jobs->running[m_shown].wait &&
                      !m_jobs->running[m_shown].state.waits);
    if (progressShown()) {
        showJob(m_jobs->running[m_shown]);
    }
    const Theme& theme = m_theme->theme();
    const QColor dot = busy() ? theme.warning : theme.good;
    m_state->setText(QStringLiteral("<span style='color:%1'>%2</span> %3")
                         .arg(dot.name(), busy() ? QStringLiteral("◐") : QStringLiteral("●"), stateText()));
}

/// "run · waits for the re-trace to end · paused 0/0 before clone"
QString JobStatus::waitingText(const Job& job) const {
    QStringList parts = {job.what, waitText(*job.wait).replace(0, 1, QLatin1Char('w'))};
    if (isPaused(job)) {
        const base::ProgressState& state = m_jobs->running.at({Owner::Engine, job.wait->behind}).state;
        parts.append(tr("paused %1").arg(text(state.detail)));
    }
    return parts.join(QStringLiteral(" · "));
}

void JobStatus::showJob(const Job& job) {
    if (job.wait) {
        m_text->setText(waitingText(job));
        return;
    }
    const QString stage = job.state.stage.empty() ? job.what : text(job.state.stage);
    const QString words =
        job.state.detail.empty() ? stage : stage + QStringLiteral(" · ") + text(job.state.detail);
    // The name of a folder may be wider than the window.
    constexpr int widest = 480;
    m_text->setText(m_text->fontMetrics().elidedText(words, Qt::ElideMiddle, widest));
    m_bar->setRange(0, job.state.total > 0 ? 1000 : 0);
    if (job.state.total > 0) {
        m_bar->setValue(static_cast<int>(1000.0 * double(job.state.done) / double(job.state.total)));
    }
}

} // namespace aotscope::views
