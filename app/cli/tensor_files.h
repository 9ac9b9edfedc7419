#pragma once

#include "session/snapshots.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

/// Tensors in safetensors files: https://github.com/huggingface/safetensors
namespace aotscope::cli {

/// Throws Failure (ExitUnreadable) if it is not a safetensors file.
[[nodiscard]] std::map<std::string, aot::TensorData> readTensors(const std::filesystem::path& file);

/// Named output_0, output_1, …; values that are not tensors are left out.
void writeTensors(const std::filesystem::path& file, const std::vector<aot::TensorData>& tensors);

} // namespace aotscope::cli
