#include "base/json_text.h"

#include "base/hex.h"
#include "base/utf8.h"

namespace aotscope::base {

std::size_t endOfJsonString(std::string_view text, std::size_t at) {
    const std::size_t begin = at;
    while ((at = text.find('"', at)) != std::string_view::npos) {
        std::size_t escape = at;
        while (escape > begin && text[escape - 1] == '\\') {
            --escape;
        }
        ++at;
        if ((at - escape) % 2 == 1) {
            return at;
        }
    }
    return text.size();
}

void appendJsonString(std::string& out, std::string_view text) {
    out += '"';
    std::size_t plain = 0;
    for (std::size_t i = 0; i < text.size();) {
        const char c = text[i];
        const auto code = static_cast<unsigned char>(c);
        if (code >= 0x20 && code < 0x80 && c != '"' && c != '\\') {
            ++i;
            continue;
        }
        if (const std::size_t bytes = code < 0x80 ? 0 : firstCharacter(text.substr(i)).bytes; bytes > 0) {
            i += bytes;
            continue;
        }
        out.append(text, plain, i - plain);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (c == '\n' || c == '\t') {
            out += c == '\n' ? "\\n" : "\\t";
        } else {
            out += "\\u";
            appendHex(out, code < 0x20 ? code : 0xFFFD, 4);
        }
        plain = ++i;
    }
    out.append(text, plain, text.size() - plain);
    out += '"';
}

} // namespace aotscope::base
