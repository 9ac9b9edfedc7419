#include "load/log_reader.h"

#include "load/file_bytes.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
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

} // namespace

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

} // namespace aotscope::load
