#pragma once

#include "base/progress.h"
#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>

/// Files of any kind as plain bytes: what is packed (gz or xz, told by content) is unpacked.
namespace aotscope::load {

/// Up to `bytes` from the start of the file; empty when it cannot be read.
[[nodiscard]] std::string readStart(const std::filesystem::path& path, std::size_t bytes);

/// Errors: load.open, load.file_too_large, load.decompress (also when a packed file is damaged or ends
/// early), session.canceled.
[[nodiscard]] base::Result<std::string> readWhole(const std::filesystem::path& path, std::uint64_t maxBytes,
                                                  base::Progress& progress);

} // namespace aotscope::load
