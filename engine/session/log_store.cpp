#include "session/log_store.h"

#include "base/file_place.h"
#include "base/joined.h"
#include "contract/errors.h"
#include "files/graph_document.h"
#include "files/graph_snapshot.h"

#include "load/log_folder.h"
#include "timeline/chrome_trace_read.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace aotscope::session {

namespace {

std::filesystem::path keyOf(const std::filesystem::path& path) {
    std::error_code failed;
    std::filesystem::path key = std::filesystem::weakly_canonical(path, failed);
    return failed ? std::filesystem::absolute(path, failed) : key;
}

base::Result<load::LogFiles> filesOf(const std::filesystem::path& path, base::Progress& progress) {
    std::error_code failed;
    if (!std::filesystem::is_directory(path, failed)) {
        return load::LogFiles{.paths = {path}};
    }
    return load::logFilesIn(path, progress);
}

/// Found logs are opened all the same; this error says that there may be more.
base::Error notAllLookedAt(const std::filesystem::path& folder) {
    return {.code = "session.large_folder",
            .message = folder.string() + " holds too many files to search; only the logs " +
                       "found first were opened.",
            .hint = "Name the folder that TORCH_TRACE named."};
}

/// One error for everything that went wrong: files that could not be opened (of `files`), and folders that
/// were not searched completely.
base::Error combinedError(std::vector<base::Error> unopened, std::vector<base::Error> cut,
                          std::size_t files) {
    base::Error combined{.code = "session.open",
                         .message = std::to_string(unopened.size()) + " of " + std::to_string(files) +
                                    " files could not be opened."};
    if (unopened.empty()) {
        combined.code = cut.front().code;
        combined.message = "Some folders were not searched completely.";
    }
    std::ranges::move(cut, std::back_inserter(unopened));
    if (unopened.size() == 1) {
        return std::move(unopened.front());
    }
    for (const base::Error& error : unopened) {
        combined.notes.push_back(error.text());
    }
    return combined;
}

std::string joinedNames(const std::vector<GraphSnapshotPtr>& graphs) {
    return base::joined(graphs, ", ",
                        [](const GraphSnapshotPtr& graph) { return graph->reference.artifact; });
}

LogSnapshotPtr logSnapshot(std::uint32_t log, const std::filesystem::path& path,
                           decltype(LogSnapshot::content) content, bool complete = true) {
    return std::make_shared<const LogSnapshot>(LogSnapshot{log, path, std::move(content), complete});
}

/// Lists the graphs of a graph file like the artifacts of a compile.
load::ArtifactList artifactsOf(const std::vector<GraphSnapshotPtr>& graphs) {
    std::vector<load::Artifact> artifacts;
    for (const GraphSnapshotPtr& graph : graphs) {
        load::Artifact artifact;
        artifact.compile = load::CompileIndex(0);
        artifact.name = graph->reference.artifact;
        artifact.isGraph = true;
        artifact.bytes = graph->text.size();
        artifacts.push_back(std::move(artifact));
    }
    return load::ArtifactList(std::move(artifacts));
}

/// Reads a graph file and numbers it `log`.
base::Result<LogSnapshotPtr> readDocument(std::uint32_t log, const std::filesystem::path& path, FileKind kind,
                                          const base::Progress& progress) {
    AOTSCOPE_TRY(graphs, readGraphDocument(path, kind, progress));
    GraphFile file;
    for (DocumentGraph& graph : graphs) {
        AOTSCOPE_CHECK(progress.checkStop());
        ArtifactReference reference{.log = log, .compile = {}, .artifact = graph.name};
        if (graph.graph) {
            file.graphs.push_back(
                describeGraph(std::move(reference), std::move(graph.graph), std::move(graph.text)));
        } else {
            auto broken = std::make_shared<GraphSnapshot>();
            broken->reference = std::move(reference);
            broken->text = std::move(graph.text);
            broken->error = std::move(graph.error);
            if (broken->error && broken->error->place.file.empty()) {
                broken->error->place.file = path.string();
            }
            file.graphs.push_back(std::move(broken));
        }
    }
    file.artifacts = artifactsOf(file.graphs);
    return logSnapshot(log, path, std::move(file));
}

/// Also prepares the lists that the window reads at once, here on the engine's thread.
LogSnapshotPtr listedSnapshot(std::uint32_t log, const load::TraceLogPtr& traceLog, bool complete,
                              const base::Progress& progress) {
    traceLog->listLargeCompiles(progress);
    return logSnapshot(log, traceLog->path(), traceLog, complete);
}

} // namespace

base::Result<void> LogStore::open(const OpenLogs& command, base::Progress& progress, const OnLog& onLog) {
    std::vector<std::filesystem::path> files;
    std::vector<base::Error> errors;
    std::vector<base::Error> cut;
    for (const std::filesystem::path& path : command.paths) {
        auto found = filesOf(path, progress);
        if (!found && base::isCanceled(found.error())) {
            return std::move(found).error();
        }
        if (!found) {
            errors.push_back(std::move(found).error());
            continue;
        }
        files.insert(files.end(), found->paths.begin(), found->paths.end());
        if (found->isCut) {
            cut.push_back(notAllLookedAt(path));
        }
    }
    const std::size_t all = files.size() + errors.size();
    for (const std::filesystem::path& file : files) {
        AOTSCOPE_CHECK(progress.checkStop());
        if (auto opened = openOne(file, command, progress, onLog); !opened) {
            if (base::isCanceled(opened.error())) {
                return std::move(opened).error();
            }
            errors.push_back(std::move(opened).error());
        }
    }
    if (!errors.empty() || !cut.empty()) {
        return combinedError(std::move(errors), std::move(cut), all);
    }
    return {};
}

base::Result<void> LogStore::openOne(const std::filesystem::path& path, const OpenLogs& command,
                                     base::Progress& progress, const OnLog& onLog) {
    const FileKind kind = fileKind(path);
    const std::uint32_t number = numberFor(path);
    // Taken before reading: what is appended during the read is found when the log is followed.
    const Reading reading{load::FileBytes::identityOf(path), nextContent()};
    const auto keep = [&](const LogSnapshotPtr& snapshot) {
        store(snapshot, reading);
        onLog(snapshot);
    };
    if (kind == FileKind::Timeline) {
        AOTSCOPE_TRY(timeline, timeline::readChromeTrace(path, progress));
        keep(logSnapshot(number, path, std::move(timeline)));
        return {};
    }
    if (kind != FileKind::TraceLog) {
        AOTSCOPE_TRY(document, readDocument(number, path, kind, progress));
        keep(document);
        return {};
    }
    load::ReadOptions options;
    options.verifyPayloads = command.verifyPayloads;
    options.onPartial = [&](const load::TraceLogPtr& partial) {
        keep(listedSnapshot(number, partial, false, progress));
    };
    AOTSCOPE_TRY(log, load::TraceLog::read(path, options, progress));
    keep(listedSnapshot(number, log, true, progress));
    return {};
}

base::Result<LogStore::Followed> LogStore::follow(std::uint32_t log, base::Progress& progress) {
    AOTSCOPE_TRY(known, find(log));
    Followed followed{.before = known, .after = nullptr};
    if (!known->traceLog()) {
        return followed;
    }
    Reading reading = readingOf(log);
    const load::FileIdentity then = std::exchange(reading.file, load::FileBytes::identityOf(known->path));
    const load::FileIdentity& now = reading.file;
    followed.continues = now.device == then.device && now.inode == then.inode && now.size >= then.size;
    AOTSCOPE_TRY(grown, load::TraceLog::readAppended(known->traceLog(), progress));
    if (grown == known->traceLog()) {
        return followed;
    }
    followed.after = listedSnapshot(log, grown, true, progress);
    if (!followed.continues) {
        reading.content = nextContent();
    }
    store(followed.after, reading);
    return followed;
}

bool LogStore::close(std::uint32_t log) {
    const std::lock_guard lock(m_mutex);
    return std::erase_if(m_entries, [&](const Entry& entry) { return entry.log == log && entry.snapshot; }) >
           0;
}

LogSnapshotPtr LogStore::tryFind(std::uint32_t log) const {
    const std::lock_guard lock(m_mutex);
    const auto found = std::ranges::find(m_entries, log, &Entry::log);
    return found == m_entries.end() ? nullptr : found->snapshot;
}

base::Result<LogSnapshotPtr> LogStore::find(std::uint32_t log) const {
    LogSnapshotPtr found = tryFind(log);
    return found ? base::Result(std::move(found)) : noSuchLog(log);
}

base::Result<LogSnapshotPtr> LogStore::findTraceLog(std::uint32_t log) const {
    LogSnapshotPtr found = tryFind(log);
    return found && found->traceLog() ? base::Result(std::move(found)) : noSuchLog(log);
}

std::vector<LogSnapshotPtr> LogStore::all() const {
    const std::lock_guard lock(m_mutex);
    std::vector<LogSnapshotPtr> logs;
    for (const Entry& entry : m_entries) {
        if (entry.snapshot) {
            logs.push_back(entry.snapshot);
        }
    }
    return logs;
}

std::uint32_t LogStore::numberFor(const std::filesystem::path& path) {
    std::filesystem::path key = keyOf(path);
    const std::lock_guard lock(m_mutex);
    const auto known = std::ranges::find(m_entries, key, &Entry::key);
    if (known != m_entries.end()) {
        return known->log;
    }
    m_entries.push_back({m_nextNumber, std::move(key), nullptr, {}});
    return m_nextNumber++;
}

std::uint64_t LogStore::contentOf(std::uint32_t log) const {
    return readingOf(log).content;
}

LogStore::Reading LogStore::readingOf(std::uint32_t log) const {
    const std::lock_guard lock(m_mutex);
    const auto found = std::ranges::find(m_entries, log, &Entry::log);
    return found == m_entries.end() ? Reading() : found->reading;
}

std::uint64_t LogStore::nextContent() {
    const std::lock_guard lock(m_mutex);
    return ++m_lastContent;
}

void LogStore::store(const LogSnapshotPtr& snapshot, const Reading& reading) {
    const std::lock_guard lock(m_mutex);
    const auto known = std::ranges::find(m_entries, snapshot->log, &Entry::log);
    // The log was closed while it was read; it stays closed.
    if (known != m_entries.end()) {
        known->snapshot = snapshot;
        known->reading = reading;
    }
}

base::Result<GraphSnapshotPtr> loadDocumentGraph(const LogSnapshot& log, const ArtifactReference& reference) {
    const auto found = std::ranges::find_if(log.graphs(), [&](const GraphSnapshotPtr& graph) {
        return graph->reference.compile == reference.compile &&
               graph->reference.artifact == reference.artifact;
    });
    if (found == log.graphs().end()) {
        return base::Error{.code = "session.no_such_artifact",
                           .message = "The file has no graph \"" + reference.artifact + "\" (" +
                                      reference.compile.text() + ").",
                           .place = base::filePlace(log.path),
                           .notes = {"It has (id -): " + joinedNames(log.graphs())}};
    }
    if (reference.subgraph.empty() || !(*found)->graph) {
        return *found;
    }
    AOTSCOPE_TRY(nested, nestedGraph((*found)->graph, reference.subgraph));
    return describeGraph(reference, std::move(nested), (*found)->text);
}

} // namespace aotscope::session
