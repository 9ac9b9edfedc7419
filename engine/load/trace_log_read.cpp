#include "load/file_bytes.h"
#include "load/log_folder.h"
#include "load/trace_log.h"
#include "load/trace_log_state.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

namespace aotscope::load {

namespace {

constexpr std::uint64_t readSize = 4U << 20U;
// The most scanned pieces that wait to be joined; bounds the memory if joining is slow.
constexpr std::size_t ahead = 8;
constexpr unsigned int mostReaders = 4;

/// The first start of a line at or after `from` and before `end`; `end` if there is none.
std::uint64_t lineStart(std::string_view text, std::uint64_t from, std::uint64_t end) {
    if (from == 0 || from >= end) {
        return std::min(from, end);
    }
    const auto* const found = static_cast<const char*>(std::memchr(text.data() + from - 1, '\n', end - from));
    return found == nullptr ? end : static_cast<std::uint64_t>(found - text.data()) + 1;
}

/// Distributes pieces to several threads and returns their results in order.
class PieceQueue {
public:
    PieceQueue(const FileBytes& file, std::uint64_t from)
        : m_file(file), m_from(from), m_count((file.bytes().size() - from + readSize - 1) / readSize) {}

    [[nodiscard]] std::size_t count() const { return m_count; }
    [[nodiscard]] std::uint64_t endOf(std::size_t piece) const {
        return std::min<std::uint64_t>(m_file.bytes().size(), m_from + (piece + 1) * readSize);
    }

    void work(const std::stop_token& stop) {
        PieceScanner scanner;
        while (const auto piece = claim(stop)) {
            ScannedPiece scanned = scan(scanner, *piece);
            const std::scoped_lock lock(m_mutex);
            m_done.emplace(*piece, std::move(scanned));
            m_changed.notify_all();
        }
    }

    /// Waits for the result of a piece; nothing: stopped.
    std::optional<ScannedPiece> take(std::size_t piece, const std::stop_token& stop) {
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, stop, [&] { return m_done.contains(piece); });
        const auto found = m_done.find(piece);
        if (found == m_done.end()) {
            return std::nullopt;
        }
        ScannedPiece out = std::move(found->second);
        m_done.erase(found);
        m_taken = piece + 1;
        m_changed.notify_all();
        return out;
    }

    /// Scans one piece on the calling thread.
    ScannedPiece scan(PieceScanner& scanner, std::size_t piece) const {
        const std::uint64_t begin = m_from + piece * readSize;
        const std::uint64_t end = endOf(piece);
        ScannedPiece out;
        out.empty = true;
        if (m_file.intact()) {
            const std::uint64_t start = piece == 0 ? begin : lineStart(m_file.bytes(), begin, end);
            if (start < end) {
                m_file.prepare(begin, end);
                out = scanner.scan(m_file.bytes(), start, end);
                m_file.release(begin, end);
            }
        }
        return out;
    }

private:
    std::optional<std::size_t> claim(const std::stop_token& stop) {
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, stop, [&] { return m_next >= m_count || m_next < m_taken + ahead; });
        if (stop.stop_requested() || m_next >= m_count) {
            return std::nullopt;
        }
        return m_next++;
    }

    const FileBytes& m_file;
    std::uint64_t m_from;
    std::size_t m_count;
    std::mutex m_mutex;
    std::condition_variable_any m_changed;
    std::map<std::size_t, ScannedPiece> m_done;
    std::size_t m_next = 0;
    std::size_t m_taken = 0;
};

base::Error cutMeanwhile() {
    return {.code = "load.open",
            .message = "the log became shorter while it was read",
            .hint = "Something rewrites the file; open it again when it is finished."};
}

/// Scans a file from byte `from` on, with several threads if it is long, and joins the pieces to `index` in
/// order. After each piece calls `onJoined` on the calling thread with the bytes read so far. Errors:
/// session.canceled, load.open (the file was truncated meanwhile).
base::Result<void> readInto(LogIndex& index, const FileBytes& file, std::uint64_t from,
                            const std::function<void(std::uint64_t)>& onJoined, base::Progress& progress) {
    const std::uint64_t size = file.bytes().size();
    if (from >= size) {
        return {};
    }
    PieceQueue queue(file, from);
    std::stop_source stopThreads;
    const std::stop_callback whenCanceled(progress.stopToken(), [&] { stopThreads.request_stop(); });
    std::vector<std::jthread> threads;
    PieceScanner scanner;
    if (queue.count() > 1) {
        const auto wanted = std::clamp(std::thread::hardware_concurrency(), 1U, mostReaders);
        for (std::size_t i = 0; i < std::min<std::size_t>(wanted, queue.count()); ++i) {
            threads.emplace_back([&queue, token = stopThreads.get_token()] { queue.work(token); });
        }
    }
    for (std::size_t piece = 0; piece < queue.count(); ++piece) {
        auto scanned = threads.empty() ? std::optional(queue.scan(scanner, piece))
                                       : queue.take(piece, stopThreads.get_token());
        if (!scanned || progress.stopRequested() || !file.intact()) {
            stopThreads.request_stop();
            return progress.stopRequested() ? base::canceledError() : cutMeanwhile();
        }
        index.join(*std::move(scanned), file.bytes());
        progress.report("Reading the log", queue.endOf(piece), size);
        onJoined(queue.endOf(piece));
    }
    if (!file.intact()) {
        return cutMeanwhile();
    }
    return {};
}

// The first snapshot follows the first piece, each further one when the bytes read have doubled, so that all
// snapshots together cost about as much as the last.
constexpr std::uint64_t firstSnapshot = 1;

base::Error notATraceLog(const std::filesystem::path& path) {
    return {.code = "load.not_a_trace_log",
            .message = "The file holds no record of a trace log.",
            .place = {path.string(), 0, 0, {}},
            .hint =
                "A trace log is what PyTorch writes into the folder named by TORCH_TRACE; its records begin "
                "like \"V1121 00:13:53.025000 22725 torch/…:1640] {\"."};
}

base::Result<std::unique_ptr<TraceLog::State>> opened(const std::filesystem::path& path,
                                                      const ReadOptions& options, base::Progress& progress) {
    AOTSCOPE_TRY(file, FileBytes::open(path, options.maxUnpackedBytes, progress));
    auto state = std::make_unique<TraceLog::State>();
    state->path = path;
    state->file = std::move(file);
    state->options = options;
    return state;
}

std::shared_ptr<const TraceLog> concluded(std::unique_ptr<TraceLog::State> state) {
    state->index.conclude(state->file->bytes());
    state->rank = rankInFileName(state->path);
    if (!state->rank) {
        state->rank = state->index.rank();
    }
    return std::make_shared<const TraceLog>(std::move(state));
}

/// Reads the file from byte `from` on into `state->index`.
base::Result<std::shared_ptr<const TraceLog>> readRest(std::unique_ptr<TraceLog::State> state,
                                                       std::uint64_t from, base::Progress& progress) {
    std::uint64_t nextSnapshot = firstSnapshot;
    const auto onJoined = [&](std::uint64_t done) {
        const std::uint64_t size = state->file->bytes().size();
        if (state->options.onPartial && done >= nextSnapshot && done < size &&
            state->index.recordCount() > 0) {
            auto snapshot = std::make_unique<TraceLog::State>(*state);
            snapshot->options.onPartial = nullptr;
            state->options.onPartial(concluded(std::move(snapshot)));
            nextSnapshot = done * 2;
        }
    };
    if (auto read = readInto(state->index, *state->file, from, onJoined, progress); !read) {
        base::Error error = std::move(read).error();
        error.place.file = state->path.string();
        return error;
    }
    if (state->index.recordCount() == 0 && !state->file->damage().empty()) {
        return base::Error{.code = "load.decompress",
                           .message = state->file->damage() + ", and what could be unpacked holds no record",
                           .place = {state->path.string(), 0, 0, {}},
                           .hint = "Copy the log again from where it was written."};
    }
    if (state->index.recordCount() == 0 && !state->file->bytes().empty()) {
        return notATraceLog(state->path);
    }
    if (!state->file->damage().empty()) {
        state->index.addProblem({"load.decompress", state->file->damage() + "; what was unpacked is shown",
                                 state->index.lineCount()});
    }
    if (state->options.verifyPayloads) {
        state->index.verifyPayloads(state->file->bytes(), progress);
    }
    state->options.onPartial = nullptr;
    return concluded(std::move(state));
}

} // namespace

base::Result<std::shared_ptr<const TraceLog>>
TraceLog::read(const std::filesystem::path& path, const ReadOptions& options, base::Progress progress) {
    AOTSCOPE_TRY(state, opened(path, options, progress));
    return readRest(std::move(state), 0, progress);
}

base::Result<std::shared_ptr<const TraceLog>>
TraceLog::readAppended(const std::shared_ptr<const TraceLog>& previous, base::Progress progress) {
    const State& old = *previous->m_state;
    const FileIdentity now = FileBytes::identityOf(old.path);
    const FileIdentity& then = old.file->identity();
    if (now == then) {
        return previous;
    }
    AOTSCOPE_TRY(state, opened(old.path, old.options, progress));
    state->options.onPartial = nullptr;
    const std::string_view text = state->file->bytes();
    std::uint64_t from = old.index.resumeOffset();
    bool grown = now.device == then.device && now.inode == then.inode && now.size >= then.size &&
                 state->file->identity().inode == then.inode && !state->file->compressed() &&
                 from <= text.size();
    if (grown && old.index.endsInsideLine() && from < text.size()) {
        // The last header was complete but for its line feed; if the line continues, it was not a header.
        grown = text[from] == '\n';
        ++from;
    }
    if (grown) {
        state->index = old.index;
    } else {
        from = 0;
    }
    return readRest(std::move(state), from, progress);
}

} // namespace aotscope::load
