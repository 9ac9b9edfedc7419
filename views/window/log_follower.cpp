#include "window/log_follower.h"

#include "common/background.h"
#include "common/engine_client.h"
#include "common/format.h"
#include "common/log_list.h"

#include <QFileSystemWatcher>
#include <QTimer>

#include <utility>

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
        if (log->complete && log->traceLog() && !m_watched.contains(log->log)) {
            m_watched[log->log] = {log->traceLog()->path(), log->traceLog()->fileSize(), {}};
            if (enabled()) {
                m_watcher->addPath(text(log->traceLog()->path().string()));
                look();
            }
        }
    });
    connect(logs, &LogList::closed, this, [this](quint32 log) {
        if (const auto closed = m_watched.extract(log)) {
            m_watcher->removePath(text(closed.mapped().path.string()));
        }
    });
}

bool LogFollower::enabled() const {
    return m_timer->isActive();
}

void LogFollower::setEnabled(bool enabled) {
    if (enabled == this->enabled()) {
        return;
    }
    if (!enabled) {
        m_timer->stop();
        if (!m_watcher->files().isEmpty()) {
            m_watcher->removePaths(m_watcher->files());
        }
        return;
    }
    m_timer->start();
    for (const auto& [id, watched] : m_watched) {
        m_watcher->addPath(text(watched.path.string()));
    }
    look();
}

void LogFollower::look() {
    if (!enabled() || m_watched.empty()) {
        return;
    }
    if (std::exchange(m_looking, true)) {
        m_again = true;
        return;
    }
    std::vector<std::pair<quint32, std::filesystem::path>> files;
    for (const auto& [id, watched] : m_watched) {
        files.emplace_back(id, watched.path);
    }
    runInBackground<std::vector<Seen>>(
        this,
        [files = std::move(files)] {
            std::vector<Seen> seen;
            for (const auto& [id, path] : files) {
                seen.push_back({id, load::FileBytes::identityOf(path)});
            }
            return seen;
        },
        [this](const std::vector<Seen>& seen) {
            m_looking = false;
            take(seen);
            if (std::exchange(m_again, false)) {
                look();
            }
        },
        Lane::Following);
}

void LogFollower::take(const std::vector<Seen>& seen) {
    for (const Seen& each : seen) {
        const auto watched = m_watched.find(each.log);
        // If a file was deleted, what was read of it stays.
        if (watched == m_watched.end() || each.file.size == 0 || !enabled()) {
            continue;
        }
        const auto before = std::exchange(watched->second.file, each.file);
        const bool changed = before ? *before != each.file : watched->second.size != each.file.size;
        if (changed) {
            m_engine->send(session::FollowLog{each.log}, QStringLiteral("follow-%1").arg(each.log));
        }
    }
}

} // namespace aotscope::views
