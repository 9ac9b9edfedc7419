#include "load/safetensors.h"

#include "load/read_tensors.h"

#include "base/bounded_json.h"
#include "base/little_endian.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <string_view>

namespace aotscope::load {

namespace {

struct DtypeName {
    std::string_view stored;
    std::string_view name;
    /// Bits of one element.
    std::uint64_t bits;
};

constexpr std::array dtypes = {
    DtypeName{"F64", "float64", 64},        DtypeName{"F32", "float32", 32},
    DtypeName{"F16", "float16", 16},        DtypeName{"BF16", "bfloat16", 16},
    DtypeName{"I64", "int64", 64},          DtypeName{"I32", "int32", 32},
    DtypeName{"I16", "int16", 16},          DtypeName{"I8", "int8", 8},
    DtypeName{"U64", "uint64", 64},         DtypeName{"U32", "uint32", 32},
    DtypeName{"U16", "uint16", 16},         DtypeName{"U8", "uint8", 8},
    DtypeName{"BOOL", "bool", 8},           DtypeName{"F8_E4M3", "float8_e4m3fn", 8},
    DtypeName{"F8_E5M2", "float8_e5m2", 8}, DtypeName{"F8_E8M0", "float8_e8m0fnu", 8},
    DtypeName{"C64", "complex64", 64},      DtypeName{"C128", "complex128", 128},
};

/// The limit of the format, in bytes.
constexpr std::uint64_t maxHeader = 100'000'000;
constexpr std::size_t maxDimensions = 64;

const DtypeName* byStoredName(std::string_view stored) {
    for (const DtypeName& dtype : dtypes) {
        if (dtype.stored == stored) {
            return &dtype;
        }
    }
    return nullptr;
}

const DtypeName* byName(std::string_view name) {
    for (const DtypeName& dtype : dtypes) {
        if (dtype.name == name) {
            return &dtype;
        }
    }
    return nullptr;
}

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
    const DtypeName* dtype = byStoredName(entry["dtype"].get_ref<const std::string&>());
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
    if (tensorBytes(tensor.shape, dtype->bits / 8) != end - begin) {
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

base::Result<StoredTensors> readSafetensors(const std::filesystem::path& path,
                                            const base::Progress& progress) {
    return readTensors(path, progress,
                       [&](std::string_view bytes) { return parseSafetensors(bytes, progress); });
}

base::Result<void> writeSafetensors(const std::filesystem::path& path, const StoredTensors& tensors) {
    nlohmann::json header = nlohmann::json::object();
    std::uint64_t offset = 0;
    for (const auto& [name, tensor] : tensors) {
        const DtypeName* dtype = byName(tensor.dtype);
        if (dtype == nullptr || tensorBytes(tensor.shape, dtype->bits / 8) != tensor.bytes.size()) {
            return malformed("The tensor \"" + name + "\" (" + tensor.dtype +
                             ") cannot be stored in this format.");
        }
        header[name] = {{"dtype", dtype->stored},
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
        return base::Error{"load.write", "The file cannot be written.", base::Place{path.string(), 0, 0, {}}};
    }
    return {};
}

} // namespace aotscope::load
