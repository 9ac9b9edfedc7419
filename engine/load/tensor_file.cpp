#include "load/tensor_file.h"

#include "load/file_bytes.h"
#include "load/tensor_formats.h"

#include "base/file_place.h"

#include <system_error>

namespace aotscope::load {

namespace {

/// The most bytes that a packed file of tensors may have.
constexpr std::uint64_t mostTensorBytes = 8ULL << 30U;

base::Result<StoredTensors> parseTensors(std::string_view bytes, const std::string& nameOfSingle,
                                         const base::Progress& progress) {
    if (bytes.starts_with(npyMagic)) {
        AOTSCOPE_TRY(tensor, parseNpy(bytes));
        return StoredTensors{{nameOfSingle, std::move(tensor)}};
    }
    // How a zip archive begins, with a file or empty; as the length of a safetensors header it is too large.
    const bool isZip = bytes.starts_with("PK\3\4") || bytes.starts_with("PK\5\6");
    return isZip ? parseNpz(bytes, progress) : parseSafetensors(bytes, progress);
}

} // namespace

base::Result<StoredTensors> readTensorFile(const std::filesystem::path& path, const std::string& nameOfSingle,
                                           base::Progress progress) {
    AOTSCOPE_TRY(file, FileBytes::open(path, mostTensorBytes, progress));
    auto read = parseTensors(file->bytes(), nameOfSingle, progress);
    if (!file->intact()) {
        return base::Error{"load.open", "The file became shorter while it was read.", base::filePlace(path)};
    }
    if (!read) {
        read.error().place.file = path.string();
    }
    return read;
}

base::Result<void> writeTensorFile(const std::filesystem::path& path, const StoredTensors& tensors) {
    if (path.extension() == ".npz") {
        return writeNpz(path, tensors);
    }
    if (path.extension() != ".npy") {
        return writeSafetensors(path, tensors);
    }
    if (tensors.size() != 1) {
        return base::Error{.code = "load.write",
                           .message = "A .npy file holds one tensor, and there are " +
                                      std::to_string(tensors.size()) + ".",
                           .place = base::filePlace(path),
                           .hint = "Write a .npz or .safetensors file, or a folder."};
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
        AOTSCOPE_CHECK(writeTensorFile(file, {{name, tensor}}));
    }
    return {};
}

} // namespace aotscope::load
