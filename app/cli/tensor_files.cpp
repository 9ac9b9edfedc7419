#include "tensor_files.h"

#include "options.h"

#include "load/tensor_file.h"

#include <system_error>
#include <utility>

namespace aotscope::cli {

std::map<std::string, aot::TensorData> readTensors(const std::vector<std::string>& given) {
    std::map<std::string, aot::TensorData> tensors;
    for (const std::string& text : given) {
        const std::size_t equals = text.find('=');
        std::error_code ignored;
        const bool isNamed =
            equals != std::string::npos && equals > 0 && !std::filesystem::exists(text, ignored);
        const std::string name = isNamed ? text.substr(0, equals) : std::string();
        load::StoredTensors stored =
            orFail(ExitUnreadable, load::readTensorFile(isNamed ? text.substr(equals + 1) : text, name));
        if (isNamed && stored.size() == 1) {
            stored = {{name, std::move(stored.begin()->second)}};
        } else if (isNamed) {
            throw usageFailure("\"" + text + "\" names one input, and the file has " +
                               std::to_string(stored.size()) + " tensors. Give the file without a name.");
        } else if (stored.contains("")) {
            throw usageFailure("\"" + text + "\" has one array without a name. Write --inputs NAME=" + text +
                               ", with the name of the input.");
        }
        for (auto& [key, tensor] : stored) {
            tensors[key] = {std::move(tensor.dtype), std::move(tensor.shape), std::move(tensor.bytes)};
        }
    }
    return tensors;
}

void writeTensors(const std::filesystem::path& path, const NamedTensors& tensors) {
    load::StoredTensors stored;
    for (const auto& [name, tensor] : tensors) {
        if (!tensor.dtype.empty()) {
            stored[name] = {tensor.dtype, tensor.shape, tensor.bytes};
        }
    }
    std::error_code ignored;
    const bool isFolder = !path.has_extension() || std::filesystem::is_directory(path, ignored);
    auto written = isFolder ? load::writeTensorFolder(path, stored) : load::writeTensorFile(path, stored);
    if (!written) {
        base::Error error = std::move(written).error();
        if (error.place.file.empty()) {
            error.place.file = path.string();
        }
        throw Failure(ExitUnreadable, std::move(error));
    }
}

NamedTensors outputTensors(const std::vector<aot::TensorData>& outputs) {
    NamedTensors tensors;
    for (const aot::TensorData& output : outputs) {
        tensors.emplace_back("output_" + std::to_string(tensors.size()), output);
    }
    return tensors;
}

std::vector<SavedValue> savedValues(const std::vector<std::string>& given) {
    constexpr const char* wrong = "does not say where a value goes. Write --value NODE=FILE.npy.";
    std::vector<SavedValue> saved;
    for (const std::string& text : given) {
        const auto [node, file] = namedValue(text, wrong);
        if (file.empty()) {
            throw usageFailure("\"" + text + "\" " + wrong);
        }
        saved.push_back({node, file});
    }
    return saved;
}

} // namespace aotscope::cli
