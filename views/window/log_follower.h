#pragma once

#include <QObject>

#include <map>

class QFileSystemWatcher;
class QTimer;

namespace aotscope::views {

class EngineClient;
class LogList;

/// Asks the engine to read on when the file of an open log grows. Looks when the system says that the file
/// changed, and once a second besides, since network file systems do not say.
class LogFollower : public QObject {
    Q_OBJECT

public:
    LogFollower(EngineClient* engine, LogList* logs, QObject* parent = nullptr);

    void setEnabled(bool enabled);
    [[nodiscard]] bool enabled() const;
    /// Looks at every file now.
    void look();

private:
    EngineClient* m_engine;
    LogList* m_logs;
    QFileSystemWatcher* m_watcher;
    QTimer* m_timer;
    /// Size of each log's file when it was last asked for.
    std::map<quint32, qint64> m_sizes;
};

} // namespace aotscope::views
