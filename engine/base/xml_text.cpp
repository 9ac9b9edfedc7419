#include "base/xml_text.h"

#include "base/utf8.h"

#include <algorithm>
#include <array>

namespace aotscope::base {

namespace {

/// Length of the character at the beginning of `text`; 0: none, or one that XML forbids or a reader may
/// misread.
std::size_t validSequence(std::string_view text) {
    const auto [code, bytes] = firstCharacter(text);
    const bool isControl = code < 0x20 || (code >= 0x7f && code < 0xa0);
    return isControl || (code & 0xfffeU) == 0xfffeU ? 0 : bytes;
}

} // namespace

std::string cleanText(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const std::size_t length = validSequence(text);
        out += length == 0 ? std::string_view("?") : text.substr(0, length);
        text.remove_prefix(std::max<std::size_t>(1, length));
    }
    return out;
}

std::string xmlText(std::string_view text) {
    constexpr std::string_view special = "&<>\"'";
    constexpr std::array<std::string_view, special.size()> written{"&amp;", "&lt;", "&gt;", "&quot;",
                                                                   "&#39;"};
    std::string out;
    for (const char& c : cleanText(text)) {
        const std::size_t found = special.find(c);
        out += found == std::string_view::npos ? std::string_view(&c, 1) : written[found];
    }
    return out;
}

} // namespace aotscope::base
