#pragma once

#include "base/progress.h"
#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace aotscope::load {

/// Bounds of the search in a folder: enough for folders of logs, a moment for one named by mistake.
struct FolderBounds {
    /// Levels of nested folders; 0: only the files of the folder itself.
    int depth = 4;
    /// The most directory entries of any kind.
    std::size_t entries = 100'000;
};

struct LogFiles {
    std::vector<std::filesystem::path> paths;
    /// Whether `FolderBounds::entries` ended the search, so that there may be more.
    bool isCut = false;
};

/// The trace logs of a folder (one per process; plain, gz or xz), sorted by rank, then by name, then those of
/// nested folders. A log is recognized by its name (`dedicated_log_torch_trace_…`), or, if no file in its
/// folder has such a name, by its first record. Folders are searched level by level. Hidden folders, links to
/// folders and kernel file systems (/proc, /sys) are skipped, and only regular files are opened. Follows
/// torch 2.11, torch/_logging/_internal.py: LazyTraceHandler, LOG_PREFIX.
///
/// Errors: load.open, load.not_a_trace_log (there is none), session.canceled.
[[nodiscard]] base::Result<LogFiles> logFilesIn(const std::filesystem::path& folder, base::Progress& progress,
                                                const FolderBounds& bounds = {});

/// N of `dedicated_log_torch_trace_rank_N_….log`.
[[nodiscard]] std::optional<std::int32_t> rankInFileName(const std::filesystem::path& path);

} // namespace aotscope::load
