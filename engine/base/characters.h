#pragma once

namespace aotscope::base {

// What formats mean by these words: in every locale the same, and a byte of another than ASCII is none of
// them.

[[nodiscard]] constexpr bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

/// What names consist of in most formats: a letter, a digit or an underscore.
[[nodiscard]] constexpr bool isWordCharacter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || isDigit(c) || c == '_';
}

} // namespace aotscope::base
