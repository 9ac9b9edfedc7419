#pragma once

#include "session/snapshots.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

/// Tensors in safetensors files: https://github.com/huggingface/safetensors
namespace aotscope::cli {

/// Throws Failure (ExitUnreadable) when the file is not one.
[[nodiscard]] std::map<std::string, aot::TensorData> readTensors(const std::filesystem::path& file);

/// Named output_0, output_1, …; what is no tensor is left out.
void writeTensors(const std::filesystem::path& file, const std::vector<aot::TensorData>& tensors);

} // namespace aotscope::cli
