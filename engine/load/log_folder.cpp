#include "load/log_folder.h"

#include "load/header_line.h"
#include "load/whole_file.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace aotscope::load {

namespace {

bool namedLikeALog(const std::filesystem::path& path) {
    return path.filename().string().starts_with("dedicated_log_torch_trace");
}

/// A compressed file is taken by its name's ending; opening it shows what it is.
bool looksLikeALog(const std::filesystem::path& path) {
    const std::string name = path.filename().string();
    if (name.ends_with(".log.gz") || name.ends_with(".log.xz")) {
        return true;
    }
    constexpr int lines = 5;
    constexpr std::size_t startBytes = 40'960;
    // Without waiting: some files of the system, /proc/kmsg among them, give their bytes only once there are
    // some.
    const std::string start = readStart(path, startBytes);
    std::string_view rest = start;
    for (int i = 0; i < lines && !rest.empty(); ++i) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        if (recogniseHeader(rest.substr(0, end)).shape == HeaderShape::Whole) {
            return true;
        }
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return false;
}

void sortByRank(std::vector<std::filesystem::path>& files) {
    std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) {
        constexpr auto none = std::numeric_limits<std::int32_t>::max();
        return std::pair(rankInFileName(a).value_or(none), a) <
               std::pair(rankInFileName(b).value_or(none), b);
    });
}

/// The logs of a folder, then those of the folders in it. Links to folders and hidden folders are left out,
/// and the number of files looked at is bounded.
class FolderWalk {
public:
    std::error_code add(const std::filesystem::path& folder, int depth) {
        std::vector<std::filesystem::path> files;
        std::vector<std::filesystem::path> folders;
        std::error_code error;
        for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
             at.increment(error)) {
            std::error_code ignored;
            if (++m_seen > mostFiles) {
                break;
            }
            if (at->is_regular_file(ignored)) {
                files.push_back(at->path());
            } else if (at->is_directory(ignored) && !at->is_symlink(ignored) &&
                       !at->path().filename().string().starts_with('.')) {
                folders.push_back(at->path());
            }
        }
        if (error) {
            return error;
        }
        for (const std::filesystem::path& path : files) {
            if (m_closed.empty() && ::faccessat(AT_FDCWD, path.c_str(), R_OK, AT_EACCESS) != 0) {
                m_closed = path;
                m_why = std::error_code(errno, std::generic_category());
            }
        }
        const bool named = std::any_of(files.begin(), files.end(), namedLikeALog);
        std::erase_if(
            files, [named](const auto& path) { return named ? !namedLikeALog(path) : !looksLikeALog(path); });
        sortByRank(files);
        m_logs.insert(m_logs.end(), files.begin(), files.end());
        if (depth < deepest) {
            std::sort(folders.begin(), folders.end());
            for (const std::filesystem::path& inner : folders) {
                // One that may not be read hides only its own logs.
                if (const std::error_code hidden = add(inner, depth + 1); hidden && m_closed.empty()) {
                    m_closed = inner;
                    m_why = hidden;
                }
            }
        }
        return {};
    }
    [[nodiscard]] const std::vector<std::filesystem::path>& logs() const { return m_logs; }
    /// The first file or folder that may not be read, so that nobody can tell what is in it, and why.
    [[nodiscard]] const std::filesystem::path& closed() const { return m_closed; }
    [[nodiscard]] const std::error_code& why() const { return m_why; }

private:
    static constexpr int deepest = 4;
    static constexpr std::size_t mostFiles = 100'000;

    std::vector<std::filesystem::path> m_logs;
    std::filesystem::path m_closed;
    std::error_code m_why;
    std::size_t m_seen = 0;
};

} // namespace

std::optional<std::int32_t> rankInFileName(const std::filesystem::path& path) {
    constexpr std::string_view before = "rank_";
    const std::string name = path.filename().string();
    const std::size_t at = name.find(before);
    if (at == std::string::npos) {
        return std::nullopt;
    }
    std::int32_t rank = 0;
    const char* const from = name.data() + at + before.size();
    const auto [end, error] = std::from_chars(from, name.data() + name.size(), rank);
    return error == std::errc() && end != from && rank >= 0 ? std::optional(rank) : std::nullopt;
}

base::Result<std::vector<std::filesystem::path>> logFilesIn(const std::filesystem::path& folder) {
    FolderWalk walk;
    if (const std::error_code error = walk.add(folder, 0)) {
        return base::Error{.code = "load.open",
                           .message = "cannot read the folder " + folder.string() + ": " + error.message(),
                           .place = {folder.string(), 0, 0, {}},
                           .hint = "Check the path and that you may read it."};
    }
    if (walk.logs().empty() && !walk.closed().empty()) {
        return base::Error{.code = "load.open",
                           .message = "cannot read " + walk.closed().string() + ": " + walk.why().message(),
                           .place = {walk.closed().string(), 0, 0, {}},
                           .hint = "Have its rights changed, or name a log that you may read."};
    }
    if (walk.logs().empty()) {
        return base::Error{.code = "load.not_a_trace_log",
                           .message = folder.string() + " holds no trace log",
                           .place = {folder.string(), 0, 0, {}},
                           .hint = "Name the folder that TORCH_TRACE named, or a log in it."};
    }
    return walk.logs();
}

} // namespace aotscope::load
