#include "window/log_follower.h"

#include "common/engine_client.h"
#include "common/format.h"
#include "common/log_list.h"

#include <QFileInfo>
#include <QFileSystemWatcher>
#include <QTimer>

namespace aotscope::views {

LogFollower::LogFollower(EngineClient* engine, LogList* logs, QObject* parent)
    : QObject(parent),
      m_engine(engine),
      m_logs(logs),
      m_watcher(new QFileSystemWatcher(this)),
      m_timer(new QTimer(this)) {
    m_timer->setInterval(1000);
    connect(m_timer, &QTimer::timeout, this, &LogFollower::look);
    connect(m_watcher, &QFileSystemWatcher::fileChanged, this, &LogFollower::look);
    connect(logs, &LogList::changed, this, [this](const session::LogSnapshotPtr& log) {
        if (log->complete && log->traceLog && !m_sizes.contains(log->log)) {
            m_sizes[log->log] = static_cast<qint64>(log->traceLog->fileSize());
            if (enabled()) {
                m_watcher->addPath(text(log->traceLog->path().string()));
            }
        }
    });
    connect(logs, &LogList::closed, this, [this](quint32 log) { m_sizes.erase(log); });
}

bool LogFollower::enabled() const {
    return m_timer->isActive();
}

void LogFollower::setEnabled(bool enabled) {
    if (!enabled) {
        m_timer->stop();
        if (!m_watcher->files().isEmpty()) {
            m_watcher->removePaths(m_watcher->files());
        }
        return;
    }
    m_timer->start();
    for (const auto& [id, log] : m_logs->logs()) {
        if (log->traceLog) {
            m_watcher->addPath(text(log->traceLog->path().string()));
        }
    }
    look();
}

void LogFollower::look() {
    if (!enabled()) {
        return;
    }
    for (auto& [id, known] : m_sizes) {
        const session::LogSnapshotPtr log = m_logs->tryLog(id);
        if (!log || !log->traceLog) {
            continue;
        }
        const qint64 size = QFileInfo(text(log->traceLog->path().string())).size();
        if (size != known && size > 0) {
            known = size;
            m_engine->send(session::FollowLog{id}, QStringLiteral("follow-%1").arg(id));
        }
    }
}

} // namespace aotscope::views
