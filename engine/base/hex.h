#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace aotscope::base {

/// The last `digits` hexadecimal digits of a number, in lower case.
inline void appendHex(std::string& out, std::uint32_t number, unsigned digits) {
    while (digits-- > 0) {
        out += "0123456789abcdef"[number >> 4U * digits & 15U];
    }
}

/// The number that these digits are; nothing: they are others, too many or none.
[[nodiscard]] inline std::optional<std::uint32_t> hexNumber(std::string_view digits) {
    std::uint32_t number = 0;
    const char* const last = digits.data() + digits.size();
    const auto [end, failed] = std::from_chars(digits.data(), last, number, 16);
    return failed == std::errc() && end == last ? std::optional(number) : std::nullopt;
}

} // namespace aotscope::base
