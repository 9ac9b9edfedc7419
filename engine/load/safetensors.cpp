#include "load/tensor_formats.h"

#include "base/bounded_json.h"
#include "base/file_place.h"
#include "base/little_endian.h"

#include <nlohmann/json.hpp>

#include <fstream>
#include <string>
#include <string_view>

namespace aotscope::load {

namespace {

/// The limit of the format, in bytes.
constexpr std::uint64_t maxHeader = 100'000'000;
constexpr std::size_t maxDimensions = 64;

base::Error malformed(std::string message) {
    return {"load.not_safetensors", std::move(message)};
}

/// Null for what is no such JSON: a header is only an object of flat objects.
nlohmann::json parseHeader(std::string_view text) {
    constexpr std::size_t mostNesting = 4;
    try {
        nlohmann::json header;
        return base::parseBounded<mostNesting>(text, header) ? header : nlohmann::json();
    } catch (const nlohmann::json::exception&) {
        return {};
    }
}

base::Result<StoredTensor> readTensor(const std::string& name, const nlohmann::json& entry,
                                      std::string_view data) {
    const auto wrong = [&name](const char* what) {
        return malformed("The tensor \"" + name + "\" has " + what + ".");
    };
    if (!entry.is_object() || !entry.contains("dtype") || !entry["dtype"].is_string()) {
        return wrong("no dtype");
    }
    const StoredDtype* dtype =
        tryStoredDtype(&StoredDtype::safetensors, entry["dtype"].get_ref<const std::string&>());
    if (dtype == nullptr) {
        return wrong("a dtype this program does not know");
    }
    StoredTensor tensor;
    tensor.dtype = dtype->name;
    const auto shape = entry.find("shape");
    if (shape == entry.end() || !shape->is_array() || shape->size() > maxDimensions) {
        return wrong("no shape");
    }
    for (const nlohmann::json& size : *shape) {
        if (!size.is_number_integer()) {
            return wrong("a size that is not an integer");
        }
        tensor.shape.push_back(size.get<std::int64_t>());
    }
    const auto offsets = entry.find("data_offsets");
    if (offsets == entry.end() || !offsets->is_array() || offsets->size() != 2 ||
        !(*offsets)[0].is_number_unsigned() || !(*offsets)[1].is_number_unsigned()) {
        return wrong("no data offsets");
    }
    const auto begin = (*offsets)[0].get<std::uint64_t>();
    const auto end = (*offsets)[1].get<std::uint64_t>();
    if (begin > end || end > data.size()) {
        return wrong("data beyond the end of the file");
    }
    if (tensorBytes(tensor.shape, dtype->bytes) != end - begin) {
        return wrong("a number of bytes that does not fit its shape and dtype");
    }
    tensor.bytes = data.substr(begin, end - begin);
    return tensor;
}

} // namespace

base::Result<StoredTensors> parseSafetensors(std::string_view bytes, const base::Progress& progress) {
    if (bytes.size() < 8) {
        return malformed("The file is shorter than the eight bytes every safetensors file begins with.");
    }
    const std::uint64_t headerSize = base::fromLittleEndian(bytes.substr(0, 8));
    if (headerSize > maxHeader || headerSize > bytes.size() - 8) {
        return malformed("The header should have " + std::to_string(headerSize) +
                         " bytes, and the file has " + std::to_string(bytes.size()) + ".");
    }
    const nlohmann::json header = parseHeader(bytes.substr(8, headerSize));
    if (!header.is_object()) {
        return malformed("The header is not a JSON object.");
    }
    const std::string_view data = bytes.substr(8 + headerSize);
    StoredTensors tensors;
    // Tensors may share bytes, so the copied bytes are limited to a multiple of the file's size.
    std::uint64_t copied = 0;
    for (const auto& [name, entry] : header.items()) {
        if (name == "__metadata__") {
            continue;
        }
        AOTSCOPE_CHECK(progress.checkStop());
        AOTSCOPE_TRY(tensor, readTensor(name, entry, data));
        copied += tensor.bytes.size();
        if (copied > 4 * data.size()) {
            return malformed("Many tensors share the same bytes.");
        }
        tensors.emplace(name, std::move(tensor));
    }
    return tensors;
}

base::Result<void> writeSafetensors(const std::filesystem::path& path, const StoredTensors& tensors) {
    nlohmann::json header = nlohmann::json::object();
    std::uint64_t offset = 0;
    for (const auto& [name, tensor] : tensors) {
        const StoredDtype* dtype = tryStoredDtype(&StoredDtype::name, tensor.dtype);
        if (dtype == nullptr || tensorBytes(tensor.shape, dtype->bytes) != tensor.bytes.size()) {
            return malformed("The tensor \"" + name + "\" (" + tensor.dtype +
                             ") cannot be stored in this format.");
        }
        header[name] = {{"dtype", dtype->safetensors},
                        {"shape", tensor.shape},
                        {"data_offsets", {offset, offset + tensor.bytes.size()}}};
        offset += tensor.bytes.size();
    }
    std::string text = header.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    // The data begins at a multiple of eight bytes.
    text.append((8 - text.size() % 8) % 8, ' ');
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out << base::littleEndian(std::uint64_t{text.size()}) << text;
    for (const auto& [name, tensor] : tensors) {
        out.write(tensor.bytes.data(), static_cast<std::streamsize>(tensor.bytes.size()));
    }
    out.close();
    if (!out) {
        return base::Error{"load.write", "The file cannot be written.", base::filePlace(path)};
    }
    return {};
}

} // namespace aotscope::load
