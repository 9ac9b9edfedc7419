#include "load/tensor_file.h"

#include "load/npy.h"
#include "load/npz.h"
#include "load/safetensors.h"
#include "load/whole_file.h"

#include "base/file_place.h"

#include <system_error>

namespace aotscope::load {

base::Result<StoredTensors> readTensorFile(const std::filesystem::path& path, const std::string& nameOfSingle,
                                           const base::Progress& progress) {
    const std::string start = readStart(path, npyMagic.size());
    if (start == npyMagic) {
        AOTSCOPE_TRY(tensor, readNpy(path, progress));
        return StoredTensors{{nameOfSingle, std::move(tensor)}};
    }
    // Zip archives begin with PK; so do no safetensors files, whose header would be absurdly long.
    return start.starts_with("PK") ? readNpz(path, progress) : readSafetensors(path, progress);
}

base::Result<void> writeTensorFile(const std::filesystem::path& path, const StoredTensors& tensors) {
    if (path.extension() == ".npz") {
        return writeNpz(path, tensors);
    }
    if (path.extension() != ".npy") {
        return writeSafetensors(path, tensors);
    }
    if (tensors.size() != 1) {
        return base::Error{"load.write",
                           "A .npy file holds one tensor, and there are " + std::to_string(tensors.size()) +
                               ".",
                           base::filePlace(path),
                           {},
                           "Write a .npz or .safetensors file, or a folder."};
    }
    return writeNpy(path, tensors.begin()->second);
}

base::Result<void> writeTensorFolder(const std::filesystem::path& folder, const StoredTensors& tensors) {
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    if (failed) {
        return base::Error{"load.write", "The folder cannot be made: " + failed.message() + ".",
                           base::filePlace(folder)};
    }
    for (const auto& [name, tensor] : tensors) {
        if (name.empty() || name.front() == '.' || name.find('/') != std::string::npos) {
            return base::Error{"load.write", "The tensor \"" + name + "\" has no name that a file can have.",
                               base::filePlace(folder)};
        }
        const bool isNumpys = npyBytes({tensor.dtype, {0}, {}}).ok();
        const auto file = folder / (name + (isNumpys ? ".npy" : ".safetensors"));
        if (auto written = writeTensorFile(file, {{name, tensor}}); !written) {
            return written;
        }
    }
    return {};
}

} // namespace aotscope::load
