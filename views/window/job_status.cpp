#include "window/job_status.h"

#include "common/engine_client.h"
#include "common/format.h"
#include "common/graph_totals.h"
#include "common/icons.h"
#include "common/theme.h"

#include <QElapsedTimer>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QTimer>
#include <QToolButton>

#include <map>

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
    QString command;
    base::ProgressState state;
    /// Milliseconds on the steady clock.
    qint64 since = 0;
    bool background = false;
};

struct JobStatus::Jobs {
    std::map<quint64, Job> running;
};

JobStatus::~JobStatus() = default;

bool JobStatus::busy() const {
    return !m_jobs->running.empty();
}

JobStatus::JobStatus(EngineClient* engine, ThemeSource* theme, QWidget* parent)
    : QWidget(parent),
      m_engine(engine),
      m_theme(theme),
      m_jobs(std::make_unique<Jobs>()),
      m_timer(new QTimer(this)),
      m_text(new QLabel),
      m_bar(new QProgressBar),
      m_cancel(new QToolButton),
      m_state(new QLabel) {
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 4, 0);
    layout->setSpacing(8);
    m_bar->setFixedWidth(160);
    m_bar->setFixedHeight(8);
    m_bar->setTextVisible(false);
    m_bar->setAccessibleName(tr("Progress"));
    m_cancel->setText(tr("Cancel"));
    m_cancel->setIcon(themedIcon(QStringLiteral("cancel"), *theme));
    m_cancel->setIconSize({12, 12});
    m_cancel->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_cancel->setToolTip(tr("Stop what the engine is doing (Shift+F5)"));
    for (QWidget* widget : {static_cast<QWidget*>(m_text), static_cast<QWidget*>(m_bar),
                            static_cast<QWidget*>(m_cancel), static_cast<QWidget*>(m_state)}) {
        layout->addWidget(widget);
    }
    m_timer->setInterval(refreshMilliseconds);
    connect(m_timer, &QTimer::timeout, this, &JobStatus::refresh);
    connect(m_cancel, &QToolButton::clicked, this, &JobStatus::cancelShown);
    connect(engine, &EngineClient::started, this,
            [this](quint64 job, const QString& tag, const QString& command) {
                const bool wasBusy = busy();
                Job& entry = m_jobs->running[job];
                entry.command = command;
                entry.background = tag == GraphTotalsCollector::tag();
                entry.since = now();
                if (!m_timer->isActive()) {
                    m_timer->start();
                }
                refresh();
                if (!wasBusy) {
                    Q_EMIT busyChanged(true);
                }
            });
    connect(engine, &EngineClient::progressed, this,
            [this](quint64 job, const QString&, const base::ProgressState& state) {
                const auto found = m_jobs->running.find(job);
                if (found != m_jobs->running.end()) {
                    found->second.state = state;
                }
            });
    connect(engine, &EngineClient::finished, this, &JobStatus::end);
    connect(engine, &EngineClient::canceled, this, &JobStatus::end);
    connect(engine, &EngineClient::failed, this, &JobStatus::end);
    connect(theme, &ThemeSource::changed, this, &JobStatus::refresh);
    refresh();
}

bool JobStatus::progressShown() const {
    return m_shown != 0;
}

void JobStatus::end(quint64 job) {
    m_jobs->running.erase(job);
    if (m_jobs->running.empty()) {
        m_timer->stop();
        refresh();
        Q_EMIT busyChanged(false);
    }
}

void JobStatus::cancelShown() {
    if (m_shown != 0) {
        m_engine->cancel(m_shown);
    }
}

void JobStatus::cancelAll() {
    // A copy: a canceled job may be told of at once.
    const auto jobs = m_jobs->running;
    for (const auto& [job, entry] : jobs) {
        m_engine->cancel(job);
    }
}

void JobStatus::refresh() {
    m_shown = 0;
    for (const auto& [job, entry] : m_jobs->running) {
        if (!entry.background && now() - entry.since >= patienceMilliseconds) {
            m_shown = job;
            break;
        }
    }
    const bool shown = m_shown != 0;
    m_text->setVisible(shown);
    m_bar->setVisible(shown);
    m_cancel->setVisible(shown);
    if (shown) {
        const Job& job = m_jobs->running[m_shown];
        const QString stage = job.state.stage.empty() ? job.command : text(job.state.stage);
        m_text->setText(job.state.detail.empty() ? stage
                                                 : stage + QStringLiteral(" · ") + text(job.state.detail));
        m_bar->setRange(0, job.state.total > 0 ? 1000 : 0);
        if (job.state.total > 0) {
            m_bar->setValue(static_cast<int>(1000.0 * double(job.state.done) / double(job.state.total)));
        }
    }
    const Theme& theme = m_theme->theme();
    const QColor dot = busy() ? theme.warning : theme.good;
    m_state->setText(QStringLiteral("<span style='color:%1'>%2</span> %3")
                         .arg(dot.name(), busy() ? QStringLiteral("◐") : QStringLiteral("●"),
                              busy() ? tr("engine working") : tr("engine idle")));
}

} // namespace aotscope::views
