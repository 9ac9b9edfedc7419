#pragma once

#include "contract/requests.h"
#include "contract/snapshots.h"

#include "load/file_bytes.h"

#include "base/progress.h"
#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <vector>

namespace aotscope::session {

/// The open files of a session and their numbers. A file that is opened again while it is open keeps its
/// number; numbers of closed files are not reused. Thread-safe.
class LogStore {
public:
    using OnLog = std::function<void(const LogSnapshotPtr&)>;

    /// Reads every file, or every log of a folder, and calls `onLog` repeatedly as each one grows. Files that
    /// cannot be read are skipped; the error then names each.
    [[nodiscard]] base::Result<void> open(const OpenLogs& command, base::Progress& progress,
                                          const OnLog& onLog);
    struct Followed {
        LogSnapshotPtr before;
        /// Including what was appended; null if nothing was.
        LogSnapshotPtr after;
        /// False: the file was truncated or replaced, and was read from the start.
        bool continues = true;
    };
    [[nodiscard]] base::Result<Followed> follow(std::uint32_t log, base::Progress& progress);
    /// False for an unknown log.
    bool close(std::uint32_t log);
    [[nodiscard]] LogSnapshotPtr tryFind(std::uint32_t log) const;
    /// Error: session.no_such_log.
    [[nodiscard]] base::Result<LogSnapshotPtr> find(std::uint32_t log) const;
    /// Only a log of records; of any other file the error is the same.
    [[nodiscard]] base::Result<LogSnapshotPtr> findTraceLog(std::uint32_t log) const;
    [[nodiscard]] std::vector<LogSnapshotPtr> all() const;

    /// Identifies a log's content: it changes when the file is replaced or opened again, and stays when the
    /// log grows. 0 for an unknown log.
    [[nodiscard]] std::uint64_t contentOf(std::uint32_t log) const;

private:
    struct Reading {
        /// Identity of the file when it was read.
        load::FileIdentity file;
        std::uint64_t content = 0;
    };
    struct Entry {
        std::uint32_t log = 0;
        /// Absolute path without symbolic links, to recognize a file that is opened twice.
        std::filesystem::path key;
        LogSnapshotPtr snapshot;
        Reading reading = {};
    };
    base::Result<void> openOne(const std::filesystem::path& path, const OpenLogs& command,
                               base::Progress& progress, const OnLog& onLog);
    std::uint32_t numberFor(const std::filesystem::path& path);
    void store(const LogSnapshotPtr& snapshot, const Reading& reading);
    [[nodiscard]] Reading readingOf(std::uint32_t log) const;
    [[nodiscard]] std::uint64_t nextContent();

    mutable std::mutex m_mutex;
    std::vector<Entry> m_entries;
    std::uint32_t m_nextNumber = 0;
    std::uint64_t m_lastContent = 0;
};

/// A graph of a graph file. Errors: session.no_such_artifact, session.no_such_subgraph.
[[nodiscard]] base::Result<GraphSnapshotPtr> loadDocumentGraph(const LogSnapshot& log,
                                                               const ArtifactReference& reference);

} // namespace aotscope::session
