#include "base/base64.h"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace aotscope::base {

namespace {

constexpr std::string_view base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

} // namespace

std::string toBase64(std::string_view bytes) {
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            group = group << 8U | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
        }
        for (std::size_t k = 0; k < 4; ++k) {
            out += i + k <= bytes.size() ? base64Digits[group >> (18 - 6 * k) & 63U] : '=';
        }
    }
    return out;
}

std::optional<std::string> fromBase64(std::string_view text) {
    if (text.size() % 4 != 0) {
        return std::nullopt;
    }
    const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
    std::string out;
    out.reserve(text.size() / 4 * 3);
    std::uint32_t group = 0;
    unsigned bits = 0;
    for (const char c : text.substr(0, text.size() - padding)) {
        const std::size_t digit = base64Digits.find(c);
        if (digit == std::string_view::npos) {
            return std::nullopt;
        }
        group = group << 6U | static_cast<std::uint32_t>(digit);
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            out += static_cast<char>(group >> bits & 255U);
            group &= (1U << bits) - 1;
        }
    }
    return group == 0 ? std::optional(std::move(out)) : std::nullopt;
}

} // namespace aotscope::base
