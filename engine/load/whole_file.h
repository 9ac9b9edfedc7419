#pragma once

#include "base/progress.h"
#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>

/// Reads files of any kind as plain bytes; compressed files (gz or xz, recognized by content) are unpacked.
namespace aotscope::load {

/// Up to `bytes` bytes from the start of the file; empty: it cannot be read.
[[nodiscard]] std::string readStart(const std::filesystem::path& path, std::size_t bytes);

/// The whole file. Errors: load.open, load.file_too_large (more than `maxBytes`), load.decompress (also for a
/// damaged or truncated compressed file), session.canceled.
[[nodiscard]] base::Result<std::string> readWhole(const std::filesystem::path& path, std::uint64_t maxBytes,
                                                  base::Progress& progress);

} // namespace aotscope::load
