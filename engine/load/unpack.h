#pragma once

#include "base/child_process.h"
#include "base/progress.h"
#include "base/result.h"

#include <cstdint>
#include <string>

namespace aotscope::load {

enum class Compression : std::uint8_t { None, Gzip, Xz };

/// Determined by the first bytes of the file, not by its name.
[[nodiscard]] Compression compressionOf(int file);

/// The unpacked content in an unnamed temporary file.
struct Unpacked {
    base::FileHandle file;
    std::size_t size = 0;
    /// Why unpacking ended early; empty: it did not.
    std::string damage;
};

/// Unpacks piece by piece into a file in the temporary folder, at most `maxSize` bytes. Errors:
/// load.decompress, session.canceled.
[[nodiscard]] base::Result<Unpacked> unpackFile(int file, Compression compression, std::uint64_t packedSize,
                                                std::uint64_t maxSize, base::Progress& progress);

/// The first bytes of the unpacked content, at most `bytes`, without a temporary file. Fewer: the file is
/// damaged; empty: this build cannot unpack it.
[[nodiscard]] std::string unpackStart(int file, Compression compression, std::size_t bytes);

} // namespace aotscope::load
