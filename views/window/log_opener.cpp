#include "window/log_opener.h"

#include "common/engine_client.h"
#include "common/format.h"
#include "common/log_list.h"
#include "common/selection_hub.h"
#include "window/recent_files.h"

#include <QDir>
#include <QFileDialog>

#include <algorithm>
#include <utility>

namespace aotscope::views {

LogOpener::LogOpener(const ViewContext& context, RecentFiles* recent, QWidget* window)
    : QObject(window), m_context(context), m_recent(recent), m_window(window) {
    connect(context.logs, &LogList::changed, this, &LogOpener::follow);
    connect(context.logs, &LogList::closed, this, [this](quint32 log) {
        const std::optional<session::Selection>& selected = m_context.selection->current();
        m_before = selected && selected->artifact.log == log ? selected : std::nullopt;
        m_context.selection->forgetLog(log);
    });
    connect(context.selection, &SelectionHub::selectionChanged, this, [this] { m_toShow.reset(); });
}

void LogOpener::open(const QStringList& paths) {
    if (paths.isEmpty()) {
        return;
    }
    session::OpenLogs command;
    Opening opening;
    for (const QString& path : paths) {
        command.paths.emplace_back(path.toStdString());
        opening.paths.append(QDir::cleanPath(path));
    }
    m_openings.push_back(std::move(opening));
    m_context.engine->send(std::move(command));
}

/// Only paths that turned out to hold a log are remembered.
void LogOpener::remember(const session::LogSnapshot& log) {
    const QString opened = QDir::cleanPath(text(log.path.string()));
    const auto isOf = [&opened](const QString& path) {
        return opened == path || opened.startsWith(path + QLatin1Char('/'));
    };
    bool isNews = true;
    for (auto opening = m_openings.rbegin(); opening != m_openings.rend(); ++opening) {
        const auto path = std::find_if(opening->paths.begin(), opening->paths.end(), isOf);
        if (path == opening->paths.end()) {
            continue;
        }
        m_recent->add(*path);
        opening->paths.erase(path);
        // If several are opened at once, show the first, and none that was requested earlier.
        if (isNews && !opening->isShown) {
            m_toShow = log.log;
            std::for_each(opening, m_openings.rend(), [](Opening& each) { each.isShown = true; });
        }
        isNews = false;
    }
    std::erase_if(m_openings, [](const Opening& each) { return each.paths.isEmpty(); });
}

void LogOpener::follow(const session::LogSnapshotPtr& log) {
    remember(*log);
    if (selectAsBefore(*log) || (m_context.selection->current() && m_toShow != log->log)) {
        return;
    }
    if (log->complete) {
        m_toShow.reset();
    }
    selectFirstGraph(*log);
}

/// When a log's file was replaced or opened again: selects what was selected before, if it still exists.
bool LogOpener::selectAsBefore(const session::LogSnapshot& log) {
    if (!m_before || m_before->artifact.log != log.log) {
        return false;
    }
    const std::optional<session::Selection> before = log.complete ? std::exchange(m_before, {}) : m_before;
    if (!m_context.logs->tryArtifact(before->artifact)) {
        return false;
    }
    m_before.reset();
    m_context.selection->select(*before);
    return true;
}

void LogOpener::selectFirstGraph(const session::LogSnapshot& log) {
    constexpr std::size_t looked = 200;
    const std::size_t compiles = std::min(log.compiles().size(), looked);
    for (std::size_t i = 0; i < compiles; ++i) {
        const session::ArtifactReference best =
            m_context.logs->bestArtifact(log.log, load::CompileIndex(static_cast<std::uint32_t>(i)));
        const std::optional<load::Artifact> artifact = m_context.logs->tryArtifact(best);
        if (artifact && artifact->isGraph) {
            m_context.selection->select({best, {}});
            return;
        }
    }
}

void LogOpener::openFileDialog() {
    open(QFileDialog::getOpenFileNames(
        m_window, tr("Open trace logs, graph files or profiler traces"), {},
        tr("Trace logs, graphs, profiler traces (*.log *.log.gz *.log.xz *.txt *.json "
           "*.gz *.xz);;All files (*)")));
}

void LogOpener::openFolderDialog() {
    const QString folder =
        QFileDialog::getExistingDirectory(m_window, tr("Open a folder with one log per rank"));
    if (!folder.isEmpty()) {
        open({folder});
    }
}

} // namespace aotscope::views
