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

/// Asks the engine to read on when the file of an open log grows, is truncated or is replaced. Checks when
/// the system reports a change, and every second, because network file systems report none. Always on another
/// thread, because file access may block.
class LogFollower : public QObject {
    Q_OBJECT

public:
    LogFollower(EngineClient* engine, LogList* logs, QObject* parent = nullptr);

    void setEnabled(bool enabled);
    [[nodiscard]] bool enabled() const;
    /// Checks all files now.
    void look();

private:
    struct Watched {
        std::filesystem::path path;
        /// The file's size when it was read. Its other identity is known after the first check.
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
    /// A check was requested while another was running.
    bool m_again = false;
};

} // namespace aotscope::views
