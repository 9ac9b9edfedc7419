#include "load/log_folder.h"

#include "load/header_line.h"
#include "load/whole_file.h"

#include "base/log.h"
#include "base/numbers.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace aotscope::load {

namespace {

bool namedLikeALog(const std::filesystem::path& path) {
    return path.filename().string().starts_with("dedicated_log_torch_trace");
}

/// Whether a record begins in the first lines of `start`; nothing: `start` has fewer lines.
std::optional<bool> beginsWithARecord(std::string_view start) {
    constexpr int lines = 5;
    for (int i = 0; i < lines; ++i) {
        const std::size_t end = start.find('\n');
        if (recogniseHeader(start.substr(0, end)).shape == HeaderShape::Whole) {
            return true;
        }
        if (end == std::string_view::npos) {
            return std::nullopt;
        }
        start.remove_prefix(end + 1);
    }
    return false;
}

/// A file that this build cannot unpack is judged by the extension of its name; opening it gives the error.
bool looksLikeALog(const std::filesystem::path& path) {
    // The first size is enough for nearly every file. The read must not block, as it would on /proc/kmsg and
    // similar files until they have data.
    for (const std::size_t bytes : {std::size_t{4'096}, std::size_t{40'960}}) {
        const std::string start = readStart(path, bytes);
        if (start.empty()) {
            const std::string name = path.filename().string();
            return name.ends_with(".log.gz") || name.ends_with(".log.xz");
        }
        if (const std::optional<bool> isLog = beginsWithARecord(start)) {
            return *isLog;
        }
        if (start.size() < bytes) {
            return false;
        }
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

/// File systems of the kernel (/proc, /sys, …): reading their files may be slow, block, or have side effects.
bool isOfTheKernel(const std::filesystem::path& folder) {
    static constexpr std::array<std::uint32_t, 11> kernelKinds = {
        PROC_SUPER_MAGIC,   SYSFS_MAGIC,         DEBUGFS_MAGIC,    TRACEFS_MAGIC,
        CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC, SECURITYFS_MAGIC, BPF_FS_MAGIC,
        PSTOREFS_MAGIC,     DEVPTS_SUPER_MAGIC,  EFIVARFS_MAGIC};
    struct statfs info = {};
    return ::statfs(folder.c_str(), &info) == 0 &&
           std::ranges::find(kernelKinds, static_cast<std::uint32_t>(info.f_type)) != kernelKinds.end();
}

/// Searches a folder level by level, so that logs near the top are found before the bounds end the search.
class FolderWalk {
public:
    FolderWalk(base::Progress& progress, const FolderBounds& bounds)
        : m_progress(progress), m_bounds(bounds) {}

    /// Returns an error of the folder itself. A nested folder that cannot be read hides only its own logs.
    std::error_code walk(const std::filesystem::path& folder) {
        std::vector<std::filesystem::path> level;
        if (const std::error_code error = lookInto(folder, level)) {
            return error;
        }
        for (int depth = 0; !level.empty(); ++depth) {
            if (depth == m_bounds.depth) {
                m_isDeeper = true;
                break;
            }
            std::vector<std::filesystem::path> next;
            for (const std::filesystem::path& inner : level) {
                if (mustEnd()) {
                    break;
                }
                if (const std::error_code hidden = lookInto(inner, next); hidden && m_closed.empty()) {
                    m_closed = inner;
                    m_why = hidden;
                }
            }
            level = std::move(next);
        }
        return {};
    }

    /// The logs by folder, a folder's own before those of its nested folders.
    [[nodiscard]] std::vector<std::filesystem::path> takeLogs() {
        std::vector<std::filesystem::path> all;
        for (auto& [folder, logs] : m_logs) {
            std::move(logs.begin(), logs.end(), std::back_inserter(all));
        }
        return all;
    }
    /// Whether there were more entries than the bounds allow.
    [[nodiscard]] bool isCut() const { return m_isCut; }
    /// Whether there are folders deeper than the bounds allow.
    [[nodiscard]] bool isDeeper() const { return m_isDeeper; }
    /// The first file or folder that could not be read, and why.
    [[nodiscard]] const std::filesystem::path& closed() const { return m_closed; }
    [[nodiscard]] const std::error_code& why() const { return m_why; }

private:
    [[nodiscard]] bool mustEnd() const { return m_isCut || m_progress.stopRequested(); }

    std::error_code lookInto(const std::filesystem::path& folder,
                             std::vector<std::filesystem::path>& folders) {
        if (isOfTheKernel(folder)) {
            return {};
        }
        std::vector<std::filesystem::path> files;
        std::vector<std::filesystem::path> inner;
        std::error_code error;
        for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
             at.increment(error)) {
            if (m_seen == m_bounds.entries) {
                m_isCut = true;
            }
            if (mustEnd()) {
                break;
            }
            tell(folder);
            ++m_seen;
            std::error_code ignored;
            if (at->is_regular_file(ignored)) {
                files.push_back(at->path());
            } else if (at->is_directory(ignored) && !at->is_symlink(ignored) &&
                       !at->path().filename().string().starts_with('.')) {
                inner.push_back(at->path());
            }
        }
        if (error) {
            return error;
        }
        std::sort(inner.begin(), inner.end());
        std::move(inner.begin(), inner.end(), std::back_inserter(folders));
        keepLogs(folder, files);
        return {};
    }

    void keepLogs(const std::filesystem::path& folder, const std::vector<std::filesystem::path>& files) {
        const bool named = std::any_of(files.begin(), files.end(), namedLikeALog);
        std::vector<std::filesystem::path> logs;
        for (const std::filesystem::path& path : files) {
            if (m_progress.stopRequested()) {
                return;
            }
            tell(folder);
            if (m_closed.empty() && ::faccessat(AT_FDCWD, path.c_str(), R_OK, AT_EACCESS) != 0) {
                m_closed = path;
                m_why = std::error_code(errno, std::generic_category());
            }
            if (named ? namedLikeALog(path) : looksLikeALog(path)) {
                logs.push_back(path);
            }
        }
        if (!logs.empty()) {
            sortByRank(logs);
            m_logs.emplace(folder, std::move(logs));
        }
    }

    void tell(const std::filesystem::path& folder) {
        m_progress.report("Looking for trace logs", m_seen, 0, folder.native());
    }

    base::Progress& m_progress;
    const FolderBounds& m_bounds;
    std::map<std::filesystem::path, std::vector<std::filesystem::path>> m_logs;
    std::filesystem::path m_closed;
    std::error_code m_why;
    std::size_t m_seen = 0;
    bool m_isCut = false;
    bool m_isDeeper = false;
};

/// How far the search went without result, in words; empty: everywhere.
std::string whereLooked(const FolderWalk& walk, const FolderBounds& bounds) {
    if (walk.isCut()) {
        return " among the first " + std::to_string(bounds.entries) + " files and folders in it";
    }
    return walk.isDeeper() ? " down to " + std::to_string(bounds.depth) + " folders deep" : std::string();
}

base::Error noLogsIn(const std::filesystem::path& folder, const FolderWalk& walk,
                     const FolderBounds& bounds) {
    const base::Place place{folder.string(), 0, 0, {}};
    if (!walk.closed().empty() && !walk.isCut()) {
        return {.code = "load.open",
                .message = "cannot read " + walk.closed().string() + ": " + walk.why().message(),
                .place = {walk.closed().string(), 0, 0, {}},
                .hint = "Change its permissions, or name a log that you can read."};
    }
    return {.code = "load.not_a_trace_log",
            .message = folder.string() + " holds no trace log" + whereLooked(walk, bounds),
            .place = place,
            .hint = "Name the folder that TORCH_TRACE named, or a log in it."};
}

} // namespace

std::optional<std::int32_t> rankInFileName(const std::filesystem::path& path) {
    constexpr std::string_view before = "rank_";
    const std::string name = path.filename().string();
    const std::size_t at = name.find(before);
    if (at == std::string::npos) {
        return std::nullopt;
    }
    const auto rank = base::leadingNumber<std::int32_t>(std::string_view(name).substr(at + before.size()));
    return rank && *rank >= 0 ? rank : std::nullopt;
}

base::Result<LogFiles> logFilesIn(const std::filesystem::path& folder, base::Progress& progress,
                                  const FolderBounds& bounds) {
    base::logInfo("aotscope.load", "looking for trace logs in " + folder.string());
    FolderWalk walk(progress, bounds);
    const std::error_code error = walk.walk(folder);
    AOTSCOPE_CHECK(progress.checkStop());
    if (error) {
        return base::Error{.code = "load.open",
                           .message = "cannot read the folder " + folder.string() + ": " + error.message(),
                           .place = {folder.string(), 0, 0, {}},
                           .hint = "Check the path and that you may read it."};
    }
    LogFiles found{walk.takeLogs(), walk.isCut()};
    if (found.paths.empty()) {
        return noLogsIn(folder, walk, bounds);
    }
    return found;
}

} // namespace aotscope::load
