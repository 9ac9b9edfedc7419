#include "window/recent_files.h"

#include <QFileInfo>
#include <QSettings>

namespace aotscope::views {

namespace {
constexpr qsizetype mostKept = 12;
const char* const settingsKey = "recentFiles";
} // namespace

RecentFiles::RecentFiles(QObject* parent)
    : QObject(parent), m_paths(QSettings().value(settingsKey).toStringList()) {}

void RecentFiles::add(const QString& path) {
    const QString absolute = QFileInfo(path).absoluteFilePath();
    m_paths.removeAll(absolute);
    m_paths.prepend(absolute);
    m_paths = m_paths.mid(0, mostKept);
    store();
}

void RecentFiles::remove(const QString& path) {
    if (m_paths.removeAll(QFileInfo(path).absoluteFilePath()) > 0) {
        store();
    }
}

void RecentFiles::clear() {
    m_paths.clear();
    store();
}

void RecentFiles::store() {
    QSettings().setValue(settingsKey, m_paths);
    Q_EMIT changed();
}

} // namespace aotscope::views
