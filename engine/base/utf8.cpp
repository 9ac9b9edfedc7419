#include "base/utf8.h"

namespace aotscope::base {

Utf8Character firstCharacter(std::string_view text, Surrogates surrogates) {
    const auto byte = [text](std::size_t i) { return char32_t(static_cast<unsigned char>(text[i])); };
    const char32_t lead = byte(0);
    if (lead < 0x80) {
        return {lead, 1};
    }
    const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) {
        return {};
    }
    char32_t code = lead & (0xFFU >> (bytes + 1));
    for (std::size_t i = 1; i < bytes; ++i) {
        if ((byte(i) & 0xC0U) != 0x80U) {
            return {};
        }
        code = code << 6U | (byte(i) & 0x3FU);
    }
    const char32_t least = bytes == 2 ? 0x80 : bytes == 3 ? 0x800 : 0x10000;
    const bool isSurrogate = code >= 0xD800 && code < 0xE000;
    const bool isRefused = isSurrogate && surrogates == Surrogates::Refused;
    return code < least || code > 0x10FFFF || isRefused ? Utf8Character() : Utf8Character{code, bytes};
}

void appendUtf8(std::string& out, char32_t code) {
    const auto put = [&](char32_t byte) { out += static_cast<char>(byte); };
    const auto putRest = [&](unsigned shift) { put(0x80U | (code >> shift & 0x3FU)); };
    if (code < 0x80) {
        put(code);
    } else if (code < 0x800) {
        put(0xC0U | code >> 6U);
        putRest(0);
    } else if (code < 0x10000) {
        put(0xE0U | code >> 12U);
        putRest(6);
        putRest(0);
    } else {
        put(0xF0U | code >> 18U);
        putRest(12);
        putRest(6);
        putRest(0);
    }
}

} // namespace aotscope::base
