#pragma once

#include "session/commands.h"
#include "session/snapshots.h"

#include "load/file_bytes.h"

#include "base/progress.h"
#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <vector>

namespace aotscope::session {

[[nodiscard]] base::Error noSuchLog(std::uint32_t log);

/// The open files of a session and their numbers. A number is given once: a file opened again while it is
/// open keeps its number, a closed number is not used again. Thread-safe.
class LogStore {
public:
    using OnLog = std::function<void(const LogSnapshotPtr&)>;

    /// Reads every file, or every log of a folder, and tells each as it grows. What cannot be read is left
    /// out; then the error names each such file.
    [[nodiscard]] base::Result<void> open(const OpenLogs& command, base::Progress& progress,
                                          const OnLog& onLog);
    struct Followed {
        LogSnapshotPtr before;
        /// With what was appended; null when nothing was.
        LogSnapshotPtr after;
        /// False: the file was cut short or another one took its name, and was read anew.
        bool continues = true;
    };
    [[nodiscard]] base::Result<Followed> follow(std::uint32_t log, base::Progress& progress);
    /// False when there is no such log.
    bool close(std::uint32_t log);
    [[nodiscard]] LogSnapshotPtr tryFind(std::uint32_t log) const;
    [[nodiscard]] std::vector<LogSnapshotPtr> all() const;

    /// Tells a log from another one that took its number: a file that was replaced, or opened again. A log
    /// that grows stays the same. 0: there is none.
    [[nodiscard]] std::uint64_t contentOf(std::uint32_t log) const;

private:
    struct Reading {
        /// Of the file as it was when it was read.
        load::FileIdentity file;
        std::uint64_t content = 0;
    };
    struct Entry {
        std::uint32_t log = 0;
        /// Made absolute and without links, to know a file again.
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
