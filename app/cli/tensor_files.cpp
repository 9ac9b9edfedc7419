#include "tensor_files.h"

#include "failure.h"

#include "load/safetensors.h"

#include <utility>

namespace aotscope::cli {

std::map<std::string, aot::TensorData> readTensors(const std::filesystem::path& file) {
    auto stored = load::readSafetensors(file);
    if (!stored) {
        throw Failure(ExitUnreadable, std::move(stored).error());
    }
    std::map<std::string, aot::TensorData> tensors;
    for (auto& [name, tensor] : *stored) {
        tensors[name] = {std::move(tensor.dtype), std::move(tensor.shape), std::move(tensor.bytes)};
    }
    return tensors;
}

void writeTensors(const std::filesystem::path& file, const std::vector<aot::TensorData>& tensors) {
    load::StoredTensors stored;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        if (!tensors[i].dtype.empty()) {
            stored["output_" + std::to_string(i)] = {tensors[i].dtype, tensors[i].shape, tensors[i].bytes};
        }
    }
    if (auto written = load::writeSafetensors(file, stored); !written) {
        throw Failure(ExitUnreadable, std::move(written).error());
    }
}

} // namespace aotscope::cli
