#pragma once

#include "load/file_bytes.h"

#include <QObject>

#include <filesystem>
#include <map>
#include <optional>
#include <vector>

class QFileSystemWatcher;
class QTimer;

namespace aotscope::views {

class EngineClient;
class LogList;

/// Asks the engine to read on when the file of an open log grows, is cut short or is replaced. Looks when the
/// system says that the file changed, and once a second besides, since network file systems do not say;
/// always on another thread, since they may take their time.
class LogFollower : public QObject {
    Q_OBJECT

public:
    LogFollower(EngineClient* engine, LogList* logs, QObject* parent = nullptr);

    void setEnabled(bool enabled);
    [[nodiscard]] bool enabled() const;
    /// Looks at every file now.
    void look();

private:
    struct Watched {
        std::filesystem::path path;
        /// Size of the file as it was read; what else tells files apart is known after the first look.
        std::uint64_t size = 0;
        std::optional<load::FileIdentity> file;
    };
    struct Seen {
        quint32 log = 0;
        load::FileIdentity file;
    };
    void take(const std::vector<Seen>& seen);

    EngineClient* m_engine;
    LogList* m_logs;
    QFileSystemWatcher* m_watcher;
    QTimer* m_timer;
    std::map<quint32, Watched> m_watched;
    bool m_looking = false;
    /// Asked for while a look was under way.
    bool m_again = false;
};

} // namespace aotscope::views
