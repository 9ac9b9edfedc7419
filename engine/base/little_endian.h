#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace aotscope::base {

/// A number's bytes, the lowest first.
template<std::unsigned_integral T>
[[nodiscard]] std::string littleEndian(T number) {
    std::string bytes(sizeof number, '\0');
    for (char& byte : bytes) {
        byte = static_cast<char>(number & 0xFFU);
        number = static_cast<T>(number >> 8U);
    }
    return bytes;
}

/// The number with these bytes, of which there are at most eight.
[[nodiscard]] inline std::uint64_t fromLittleEndian(std::string_view bytes) {
    std::uint64_t number = 0;
    for (; !bytes.empty(); bytes.remove_suffix(1)) {
        number = number << 8U | static_cast<unsigned char>(bytes.back());
    }
    return number;
}

} // namespace aotscope::base
