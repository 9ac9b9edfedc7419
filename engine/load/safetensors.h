#pragma once

#include "load/stored_tensor.h"

#include "base/progress.h"
#include "base/result.h"

#include <filesystem>
#include <string_view>

/// Tensors by name in safetensors files (https://github.com/huggingface/safetensors): eight bytes with the
/// length of a JSON header, the header, the data.
namespace aotscope::load {

/// Reads the bytes of a file. Nothing in it is trusted: sizes are checked against the file's size before
/// anything is allocated. Errors: load.not_safetensors (names the tensor and the fault), session.canceled.
[[nodiscard]] base::Result<StoredTensors> parseSafetensors(std::string_view bytes,
                                                           const base::Progress& progress = {});

/// Writes a file with the tensors sorted by name. Errors: load.write, load.not_safetensors (shape, dtype and
/// bytes of a tensor do not match).
[[nodiscard]] base::Result<void> writeSafetensors(const std::filesystem::path& path,
                                                  const StoredTensors& tensors);

} // namespace aotscope::load
