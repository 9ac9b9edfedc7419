#include "tensor_files.h"

#include "failure.h"
#include "json_text.h"

#include "ir/dtype.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>

namespace aotscope::cli {

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 17> dtypeNames{{
    {"float64", "F64"},
    {"float32", "F32"},
    {"float16", "F16"},
    {"bfloat16", "BF16"},
    {"float8_e4m3fn", "F8_E4M3"},
    {"float8_e5m2", "F8_E5M2"},
    {"float8_e8m0fnu", "F8_E8M0"},
    {"complex64", "C64"},
    {"complex128", "C128"},
    {"int64", "I64"},
    {"int32", "I32"},
    {"int16", "I16"},
    {"int8", "I8"},
    {"uint64", "U64"},
    {"uint32", "U32"},
    {"uint16", "U16"},
    {"uint8", "U8"},
}};

std::string toFileDtype(std::string_view name) {
    const auto found = std::ranges::find(dtypeNames, name, [](const auto& pair) { return pair.first; });
    return found != dtypeNames.end() ? std::string(found->second) : name == "bool" ? "BOOL" : std::string();
}

std::string fromFileDtype(std::string_view name) {
    const auto found = std::ranges::find(dtypeNames, name, [](const auto& pair) { return pair.second; });
    return found != dtypeNames.end() ? std::string(found->first) : name == "BOOL" ? "bool" : std::string();
}

Failure notSafetensors(const std::filesystem::path& file, std::string what) {
    base::Error error;
    error.code = "cli.safetensors";
    error.message = "Cannot read tensors: " + std::move(what);
    error.place.file = file.string();
    return {exitUnreadable, std::move(error)};
}

constexpr std::size_t lengthBytes = 8;

/// The JSON header; what follows it is data.
std::pair<Json, std::string_view> splitFile(const std::filesystem::path& file, std::string_view text) {
    std::uint64_t length = 0;
    if (text.size() < lengthBytes) {
        throw notSafetensors(file, "the file is too short for a safetensors file.");
    }
    for (std::size_t i = lengthBytes; i-- > 0;) {
        length = length << 8U | static_cast<unsigned char>(text[i]);
    }
    text.remove_prefix(lengthBytes);
    if (length > text.size()) {
        throw notSafetensors(file, "its header is cut.");
    }
    Json header = Json::parse(text.substr(0, length), nullptr, false);
    if (!header.is_object()) {
        throw notSafetensors(file, "its header is no JSON object.");
    }
    return {std::move(header), text.substr(length)};
}

session::TensorData tensorOf(const Json& entry, std::string_view data) {
    session::TensorData tensor;
    tensor.dtype = fromFileDtype(entry.at("dtype").get<std::string>());
    tensor.shape = entry.at("shape").get<std::vector<std::int64_t>>();
    const auto begin = entry.at("data_offsets").at(0).get<std::uint64_t>();
    const auto end = entry.at("data_offsets").at(1).get<std::uint64_t>();
    if (begin > end || end > data.size()) {
        throw std::out_of_range("data beyond the end of the file");
    }
    tensor.bytes = data.substr(begin, end - begin);
    const auto dtype = ir::dtypeFromName(tensor.dtype);
    std::uint64_t bytes = dtype ? ir::dtypeBytes(*dtype) : 0;
    for (const std::int64_t size : tensor.shape) {
        if (size < 0 || (size > 0 && bytes > data.size() / static_cast<std::uint64_t>(size))) {
            throw std::out_of_range("a shape that its data does not fill");
        }
        bytes *= static_cast<std::uint64_t>(size);
    }
    if (bytes != tensor.bytes.size()) {
        throw std::out_of_range("a shape that its data does not fill, or a dtype that is not known");
    }
    return tensor;
}

} // namespace

std::map<std::string, session::TensorData> readTensors(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    if (!in) {
        throw notSafetensors(file, "the file cannot be opened.");
    }
    const auto [header, data] = splitFile(file, text);
    std::map<std::string, session::TensorData> tensors;
    for (const auto& [name, entry] : header.items()) {
        if (name == "__metadata__") {
            continue;
        }
        try {
            tensors[name] = tensorOf(entry, data);
        } catch (const std::exception& exception) {
            throw notSafetensors(file, "tensor \"" + name + "\" has " + exception.what() + ".");
        }
    }
    return tensors;
}

void writeTensors(const std::filesystem::path& file, const std::vector<session::TensorData>& tensors) {
    Json header = Json::object();
    std::string data;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const std::string dtype = toFileDtype(tensors[i].dtype);
        if (dtype.empty()) {
            continue;
        }
        const std::size_t begin = data.size();
        data += tensors[i].bytes;
        header["output_" + std::to_string(i)] = {
            {"dtype", dtype}, {"shape", tensors[i].shape}, {"data_offsets", {begin, data.size()}}};
    }
    std::string text = header.dump();
    text.resize((text.size() + lengthBytes - 1) / lengthBytes * lengthBytes, ' ');
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    for (std::size_t i = 0; i < lengthBytes; ++i) {
        out.put(static_cast<char>(text.size() >> (8 * i) & 255U));
    }
    out << text << data;
    out.close();
    if (!out) {
        base::Error error;
        error.code = "cli.output";
        error.message = "Cannot write " + file.string();
        throw Failure(exitUnreadable, std::move(error));
    }
}

} // namespace aotscope::cli
