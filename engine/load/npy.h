#pragma once

#include "load/stored_tensor.h"

#include "base/result.h"

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

/// NumPy's files of one array (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html): a
/// magic, a version, a header that is a Python dictionary, the data. Versions 1 to 3, C and Fortran order,
/// both byte orders. Follows numpy 2.4, numpy/lib/_format_impl.py. There is no library for it: Debian's only
/// one (libxtensor-dev) demands an order of the header's keys that the format does not have, allocates what
/// the header says before it looks at the file's size, and knows no float16.
namespace aotscope::load {

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

} // namespace aotscope::load
