#pragma once

#include "base/progress.h"
#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace aotscope::load {

/// How far a folder is looked through: enough for every folder that holds logs, and no more than a moment of
/// one that was named by mistake.
struct FolderBounds {
    /// Folders in folders; 0: only the files of the folder itself.
    int depth = 4;
    /// Files and folders, whatever they are.
    std::size_t entries = 100'000;
};

struct LogFiles {
    std::vector<std::filesystem::path> paths;
    /// Whether `FolderBounds::entries` ended the search, so that there may be more.
    bool isCut = false;
};

/// The trace logs of a folder (one per process; plain, gz or xz), sorted by rank, then by name, then those of
/// the folders in it. Told by name (`dedicated_log_torch_trace_…`), or, where no file of their folder is
/// called so, by their first record. What lies near the folder is looked at first. Hidden folders, links to
/// folders and what the kernel shows as files (/proc, /sys) are left out, and only regular files are opened.
///
/// Errors: load.open, load.not_a_trace_log when there is none, session.canceled.
[[nodiscard]] base::Result<LogFiles> logFilesIn(const std::filesystem::path& folder, base::Progress& progress,
                                                const FolderBounds& bounds = {});

/// N of `dedicated_log_torch_trace_rank_N_….log`.
[[nodiscard]] std::optional<std::int32_t> rankInFileName(const std::filesystem::path& path);

} // namespace aotscope::load
