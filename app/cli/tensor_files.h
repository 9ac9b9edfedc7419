#pragma once

#include "contract/snapshots.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

/// Tensors in files: safetensors (https://github.com/huggingface/safetensors), NumPy's .npy and .npz.
namespace aotscope::cli {

/// Tensors by name, of texts as a person gives them: a file with names in it (safetensors, .npz), or
/// NAME=FILE for a file of one tensor. A later one replaces an earlier one of the same name. Throws Failure:
/// ExitUnreadable if a file is no file of tensors, ExitUsage if a name is missing.
[[nodiscard]] std::map<std::string, aot::TensorData> readTensors(const std::vector<std::string>& given);

/// Tensors with their names. Those without a dtype (a value that is not a tensor) are left out.
using NamedTensors = std::vector<std::pair<std::string, aot::TensorData>>;

/// Writes .npy (one tensor), .npz or safetensors, by the file's ending; a path without an ending, or of a
/// folder, becomes a folder with one file per tensor. Throws Failure (ExitUnreadable).
void writeTensors(const std::filesystem::path& path, const NamedTensors& tensors);

/// Named output_0, output_1, …
[[nodiscard]] NamedTensors outputTensors(const std::vector<aot::TensorData>& outputs);

/// A node's value to be saved: "mm_1=x.npy".
struct SavedValue {
    std::string node;
    std::filesystem::path file;
};
/// Throws Failure (ExitUsage).
[[nodiscard]] std::vector<SavedValue> savedValues(const std::vector<std::string>& given);

} // namespace aotscope::cli
