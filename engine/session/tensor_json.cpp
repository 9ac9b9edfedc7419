#include "session/tensor_json.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace aotscope::session {

namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::string_view base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string toBase64(std::string_view bytes) {
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
        }
        for (std::size_t k = 0; k < 4; ++k) {
            out += i + k <= bytes.size() ? base64Digits[group >> (18 - 6 * k) & 63] : '=';
        }
    }
    return out;
}

std::optional<std::string> fromBase64(std::string_view text) {
    std::string out;
    std::uint32_t group = 0;
    int bits = 0;
    for (const char c : text) {
        if (c == '=') {
            break;
        }
        const std::size_t digit = base64Digits.find(c);
        if (digit == std::string_view::npos) {
            return std::nullopt;
        }
        group = group << 6 | static_cast<std::uint32_t>(digit);
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            out += static_cast<char>(group >> bits & 255);
        }
    }
    return out;
}

} // namespace

OrderedJson tensorToJson(const aot::TensorData& tensor) {
    return {{"dtype", tensor.dtype}, {"shape", tensor.shape}, {"base64", toBase64(tensor.bytes)}};
}

std::optional<aot::TensorData> tensorFromJson(const OrderedJson& json) {
    auto bytes = fromBase64(json.value("base64", ""));
    if (!bytes) {
        return std::nullopt;
    }
    return aot::TensorData{json.value("dtype", ""), json.value("shape", std::vector<std::int64_t>()),
                           std::move(bytes).value()};
}

} // namespace aotscope::session
