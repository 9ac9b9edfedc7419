#pragma once

#include "load/stored_tensor.h"

#include "base/progress.h"
#include "base/result.h"

#include <filesystem>
#include <string>

/// Files of tensors in any format that this program knows: safetensors, .npy, .npz.
namespace aotscope::load {

/// Reads a file, whose format is recognized by its first bytes. The tensor of a .npy file has no name in it;
/// it is called `nameOfSingle`. Errors, with the file as place: load.open, load.decompress, those of
/// parseNpy, parseNpz and parseSafetensors.
[[nodiscard]] base::Result<StoredTensors> readTensorFile(const std::filesystem::path& path,
                                                         const std::string& nameOfSingle = {},
                                                         base::Progress progress = {});

/// Writes a file in the format of its ending: .npy (only one tensor), .npz, else safetensors. Errors: those
/// of writeNpy, writeNpz, writeSafetensors; load.write when a .npy file should hold several.
[[nodiscard]] base::Result<void> writeTensorFile(const std::filesystem::path& path,
                                                 const StoredTensors& tensors);

/// Writes one .npy file per tensor, NAME.npy, into a folder, and creates it if it is not there; dtypes that
/// NumPy lacks become NAME.safetensors. Errors: those of writeTensorFile; load.write for a name that is not
/// one of a file.
[[nodiscard]] base::Result<void> writeTensorFolder(const std::filesystem::path& folder,
                                                   const StoredTensors& tensors);

} // namespace aotscope::load
