#pragma once

#include "load/stored_tensor.h"

#include "base/progress.h"
#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

/// The formats of tensor files, of which tensor_file.h chooses one.
namespace aotscope::load {

// NumPy's files of one array (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html): a
// magic, a version, a header that is a Python dictionary, the data. Versions 1 to 3, C and Fortran order,
// both byte orders. Follows numpy 2.4, numpy/lib/_format_impl.py. There is no library for it: Debian's only
// one (libxtensor-dev) demands an order of the header's keys that the format does not have, allocates what
// the header says before it looks at the file's size, and knows no float16.

/// The first bytes of every .npy file.
inline constexpr std::string_view npyMagic = "\x93NUMPY";

/// Reads the bytes of a file. Nothing in it is trusted: the size that the header gives is compared with the
/// file's before anything is allocated. Error: load.not_npy (what is wrong, and at which byte).
[[nodiscard]] base::Result<StoredTensor> parseNpy(std::string_view bytes);

/// The bytes that numpy.save writes for the tensor. Errors: load.not_npy (NumPy has no such dtype: bfloat16
/// and 8-bit floats; or shape, dtype and bytes do not match).
[[nodiscard]] base::Result<std::string> npyBytes(const StoredTensor& tensor);
/// Errors: those of npyBytes; load.write.
[[nodiscard]] base::Result<void> writeNpy(const std::filesystem::path& path, const StoredTensor& tensor);

// NumPy's archives of named arrays (numpy.savez, numpy.savez_compressed): zip archives of .npy files, which
// libzip reads and writes. Without libzip the functions return load.no_zip.

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

// Tensors by name in safetensors files (https://github.com/huggingface/safetensors): eight bytes with the
// length of a JSON header, the header, the data.

/// Reads the bytes of a file. Nothing in it is trusted: sizes are checked against the file's size before
/// anything is allocated. Errors: load.not_safetensors (names the tensor and the fault), session.canceled.
[[nodiscard]] base::Result<StoredTensors> parseSafetensors(std::string_view bytes,
                                                           const base::Progress& progress = {});

/// Writes a file with the tensors sorted by name. Errors: load.write, load.not_safetensors (shape, dtype and
/// bytes of a tensor do not match).
[[nodiscard]] base::Result<void> writeSafetensors(const std::filesystem::path& path,
                                                  const StoredTensors& tensors);

} // namespace aotscope::load
