#include "timeline/event_text.h"

#include "timeline/json_cursor.h"
#include "timeline/trace_number.h"

#include <charconv>

namespace aotscope::timeline {

namespace {

void appendUtf8(std::string& out, std::uint32_t code) {
    const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
    if (code < 0x80) {
        put(code);
    } else if (code < 0x800) {
        put(0xC0 | code >> 6U);
        put(0x80 | (code & 0x3FU));
    } else if (code < 0x10000) {
        put(0xE0 | code >> 12U);
        put(0x80 | (code >> 6U & 0x3FU));
        put(0x80 | (code & 0x3FU));
    } else {
        put(0xF0 | code >> 18U);
        put(0x80 | (code >> 12U & 0x3FU));
        put(0x80 | (code >> 6U & 0x3FU));
        put(0x80 | (code & 0x3FU));
    }
}

/// The four digits of a \u escape at `at`.
std::optional<std::uint32_t> hexAt(std::string_view text, std::size_t at) {
    std::uint32_t code = 0;
    if (at + 4 > text.size()) {
        return std::nullopt;
    }
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + at + 4, code, 16);
    return error == std::errc() && end == text.data() + at + 4 ? std::optional(code) : std::nullopt;
}

/// Takes the \u escape whose digits begin at `at`, and the second half of a pair.
bool takeUnicode(std::string& out, std::string_view text, std::size_t& at) {
    const auto first = hexAt(text, at);
    if (!first) {
        return false;
    }
    at += 4;
    std::uint32_t code = *first;
    const bool high = code >= 0xD800 && code < 0xDC00;
    if (high && text.substr(at, 2) == "\\u") {
        if (const auto second = hexAt(text, at + 2); second && *second >= 0xDC00 && *second < 0xE000) {
            code = 0x10000 + ((code - 0xD800) << 10U) + (*second - 0xDC00);
            at += 6;
        }
    }
    // Half a pair is no character.
    appendUtf8(out, code >= 0xD800 && code < 0xE000 ? 0xFFFD : code);
    return true;
}

} // namespace

std::size_t skipString(std::string_view text, std::size_t at) {
    while (true) {
        const std::size_t quote = text.find('"', at);
        if (quote == std::string_view::npos) {
            return text.size();
        }
        std::size_t backslashes = 0;
        while (quote - backslashes > at && text[quote - backslashes - 1] == '\\') {
            ++backslashes;
        }
        if (backslashes % 2 == 0) {
            return quote + 1;
        }
        at = quote + 1;
    }
}

std::size_t skipContainer(std::string_view text, std::size_t at) {
    std::size_t depth = 0;
    while (at < text.size()) {
        switch (text[at++]) {
        case '"':
            at = skipString(text, at);
            break;
        case '{':
        case '[':
            ++depth;
            break;
        case '}':
        case ']':
            if (depth <= 1) {
                return at;
            }
            --depth;
            break;
        default:
            break;
        }
    }
    return text.size();
}

std::string_view objectAt(std::string_view text, std::size_t offset) {
    if (offset >= text.size() || text[offset] != '{') {
        return {};
    }
    return text.substr(offset, skipContainer(text, offset) - offset);
}

std::string unescaped(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at++];
        if (c != '\\' || at == text.size()) {
            out += c;
            continue;
        }
        const char escape = text[at++];
        constexpr std::string_view from = "nrtbf\"\\/";
        constexpr std::string_view to = "\n\r\t\b\f\"\\/";
        if (const std::size_t known = from.find(escape); known != std::string_view::npos) {
            out += to[known];
        } else if (escape != 'u' || !takeUnicode(out, text, at)) {
            out += '\\';
            out += escape;
        }
    }
    return out;
}

void appendQuoted(std::string& out, std::string_view text) {
    constexpr std::string_view digits = "0123456789abcdef";
    out += '"';
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            out += "\\u00";
            out += digits[static_cast<unsigned char>(c) >> 4U];
            out += digits[static_cast<unsigned char>(c) & 15U];
        } else {
            out += c;
        }
    }
    out += '"';
}

std::vector<Argument> membersOf(std::string_view object) {
    std::vector<Argument> members;
    JsonCursor cursor(object);
    if (!cursor.take('{')) {
        return members;
    }
    while (true) {
        std::string_view key;
        std::string_view value;
        if (!cursor.takeString(key) || !cursor.take(':') || (!cursor.takeValue(value) && value.empty())) {
            return members;
        }
        const bool isText = value.size() >= 2 && value.front() == '"' && value.back() == '"';
        members.push_back({unescaped(key), isText ? unescaped(unquoted(value)) : std::string(value), isText});
        if (!cursor.take(',')) {
            return members;
        }
    }
}

std::vector<Argument> argumentsOf(std::string_view event) {
    JsonCursor cursor(event);
    if (!cursor.take('{')) {
        return {};
    }
    while (true) {
        std::string_view key;
        if (!cursor.takeString(key) || !cursor.take(':')) {
            return {};
        }
        std::string_view value;
        const bool whole = cursor.takeValue(value);
        if (key == "args") {
            return membersOf(value);
        }
        if (!whole || !cursor.take(',')) {
            return {};
        }
    }
}

} // namespace aotscope::timeline
