#pragma once

#include "base/progress.h"
#include "base/result.h"

#include <cstdint>
#include <string>

namespace aotscope::load {

enum class Compression : std::uint8_t { None, Gzip, Xz };

/// By the first bytes of the file, not by its name.
[[nodiscard]] Compression compressionOf(int file);

/// What became of a compressed file: a file without a name, which the receiver closes.
struct Unpacked {
    int file = -1;
    std::size_t size = 0;
    /// Why unpacking ended early; empty when it didn't.
    std::string damage;
};

/// Unpacks into a file in the temporary folder, a piece at a time, and no further than `maxSize` bytes.
[[nodiscard]] base::Result<Unpacked> unpackFile(int file, Compression compression, std::uint64_t packedSize,
                                                std::uint64_t maxSize, base::Progress& progress);

/// Up to `bytes` of what such a file begins with, without a file in between; less when it is damaged, nothing
/// when this build cannot unpack it.
[[nodiscard]] std::string unpackStart(int file, Compression compression, std::size_t bytes);

} // namespace aotscope::load
