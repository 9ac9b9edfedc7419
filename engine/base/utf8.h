#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace aotscope::base {

struct Utf8Character {
    char32_t code = 0xFFFD;
    /// Bytes that it takes; 0: the text does not begin with well-formed UTF-8 (RFC 3629).
    std::size_t bytes = 0;
};

/// Python's strings may hold halves of surrogate pairs, which UTF-8 forbids.
enum class Surrogates : bool { Refused, Taken };

/// The character at the beginning of a text that is not empty.
[[nodiscard]] Utf8Character firstCharacter(std::string_view text,
                                           Surrogates surrogates = Surrogates::Refused);

void appendUtf8(std::string& out, char32_t code);

} // namespace aotscope::base
