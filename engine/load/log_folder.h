#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace aotscope::load {

/// The trace logs of a folder (one per process; plain, gz or xz), sorted by rank, then by name, then those of
/// the folders in it, up to four deep. Told by name (`dedicated_log_torch_trace_…`), or, where no file of
/// their folder is called so, by their first record.
/// Errors: load.open, load.not_a_trace_log when there is none.
[[nodiscard]] base::Result<std::vector<std::filesystem::path>>
logFilesIn(const std::filesystem::path& folder);

/// N of `dedicated_log_torch_trace_rank_N_….log`.
[[nodiscard]] std::optional<std::int32_t> rankInFileName(const std::filesystem::path& path);

} // namespace aotscope::load
