#pragma once

#include "load/stored_tensor.h"

#include "base/progress.h"
#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <string_view>

/// NumPy's archives of named arrays (numpy.savez, numpy.savez_compressed): zip archives of .npy files, which
/// libzip reads and writes. Without libzip the functions return load.no_zip.
namespace aotscope::load {

/// What an archive may unpack to, in bytes: deflate packs a thousand zeros into one byte.
inline constexpr std::uint64_t mostUnpackedArrays = 8ULL << 30U;

/// Reads the bytes of a file. Members that are no .npy files are an error. Errors: load.not_npz (names the
/// member), load.no_zip, session.canceled.
[[nodiscard]] base::Result<StoredTensors> parseNpz(std::string_view bytes,
                                                   const base::Progress& progress = {},
                                                   std::uint64_t mostUnpacked = mostUnpackedArrays);

/// Writes a file as numpy.savez does, without compression, sorted by name. The file appears at once when it
/// is complete. Errors: those of npyBytes, naming the tensor; load.write; load.no_zip.
[[nodiscard]] base::Result<void> writeNpz(const std::filesystem::path& path, const StoredTensors& tensors);

} // namespace aotscope::load
