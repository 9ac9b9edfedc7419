#include "base/utf16.h"

#include "base/utf8.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace aotscope::base {

namespace {

constexpr std::size_t longest = 4;

/// The first character of a text that is not empty; a byte that is none counts as one.
Utf8Character firstOf(std::string_view text) {
    const Utf8Character character = firstCharacter(text);
    return {character.code, std::max<std::size_t>(character.bytes, 1)};
}

std::size_t unitsOf(const Utf8Character& character) {
    return character.code > 0xFFFF ? 2 : 1;
}

/// The number of ASCII bytes at the beginning, rounded down to a multiple of eight.
std::size_t asciiStart(std::string_view text) {
    std::size_t at = 0;
    for (std::uint64_t word = 0; at + sizeof word <= text.size(); at += sizeof word) {
        std::memcpy(&word, text.data() + at, sizeof word);
        if ((word & 0x8080808080808080U) != 0) {
            break;
        }
    }
    return at;
}

} // namespace

std::size_t utf16Units(std::string_view text) {
    std::size_t units = 0;
    while (!text.empty()) {
        const std::size_t ascii = asciiStart(text);
        units += ascii;
        text.remove_prefix(ascii);
        if (!text.empty()) {
            const Utf8Character character = firstOf(text);
            units += unitsOf(character);
            text.remove_prefix(character.bytes);
        }
    }
    return units;
}

std::size_t bytesOfUtf16(std::string_view text, std::size_t units) {
    std::size_t at = 0;
    while (at < text.size() && units > 0) {
        if (const std::size_t ascii = asciiStart(text.substr(at, units)); ascii > 0) {
            at += ascii;
            units -= ascii;
            continue;
        }
        const Utf8Character character = firstOf(text.substr(at));
        if (unitsOf(character) > units) {
            break;
        }
        units -= unitsOf(character);
        at += character.bytes;
    }
    return at;
}

std::u16string toUtf16(std::string_view text) {
    std::u16string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const Utf8Character character = firstOf(text);
        if (character.code > 0xFFFF) {
            out += static_cast<char16_t>(0xD800 + ((character.code - 0x10000) >> 10U));
            out += static_cast<char16_t>(0xDC00 + ((character.code - 0x10000) & 0x3FFU));
        } else {
            out += static_cast<char16_t>(character.code);
        }
        text.remove_prefix(character.bytes);
    }
    return out;
}

std::size_t characterStart(std::string_view text, std::size_t at) {
    for (std::size_t back = 1; at < text.size() && back < longest && back <= at; ++back) {
        if ((static_cast<unsigned char>(text[at - back + 1]) & 0xC0U) != 0x80U) {
            break;
        }
        if (firstOf(text.substr(at - back)).bytes > back) {
            return at - back;
        }
    }
    return at;
}

} // namespace aotscope::base
