#include "timeline/event_text.h"

#include "timeline/json_cursor.h"

#include "base/hex.h"
#include "base/json_text.h"
#include "base/numbers.h"
#include "base/utf8.h"

#include <algorithm>
#include <cmath>

namespace aotscope::timeline {

namespace {

/// Two such numbers can be added.
constexpr std::int64_t mostNanoseconds = 4'000'000'000'000'000'000;

std::int64_t limited(double nanoseconds) {
    if (std::isnan(nanoseconds)) {
        return 0;
    }
    return static_cast<std::int64_t>(
        std::clamp(nanoseconds, -double(mostNanoseconds), double(mostNanoseconds)));
}

std::optional<std::uint32_t> fourDigits(std::string_view text, std::size_t at) {
    return at + 4 > text.size() ? std::nullopt : base::hexNumber(text.substr(at, 4));
}

/// Takes the \u escape whose digits begin at `at`, and the second half of a pair.
bool takeUnicode(std::string& out, std::string_view text, std::size_t& at) {
    const auto first = fourDigits(text, at);
    if (!first) {
        return false;
    }
    at += 4;
    std::uint32_t code = *first;
    const bool high = code >= 0xD800 && code < 0xDC00;
    if (high && text.substr(at, 2) == "\\u") {
        if (const auto second = fourDigits(text, at + 2); second && *second >= 0xDC00 && *second < 0xE000) {
            code = 0x10000 + ((code - 0xD800) << 10U) + (*second - 0xDC00);
            at += 6;
        }
    }
    // Half a pair is no character.
    base::appendUtf8(out, code >= 0xD800 && code < 0xE000 ? 0xFFFD : code);
    return true;
}

} // namespace

std::string_view unquoted(std::string_view value) {
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"') {
        return value.substr(1, value.size() - 2);
    }
    return value;
}

std::optional<double> numberOf(std::string_view value) {
    return base::wholeNumber<double>(unquoted(value));
}

std::optional<std::int64_t> nanosecondsOf(std::string_view microseconds) {
    const std::string_view text = unquoted(microseconds);
    std::size_t at = 0;
    const bool negative = !text.empty() && text.front() == '-';
    at += negative ? 1 : 0;
    std::int64_t value = 0;
    int fraction = -1;
    const std::size_t digits = at;
    for (; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '.' && fraction < 0) {
            fraction = 0;
            continue;
        }
        if (c < '0' || c > '9' || value > mostNanoseconds / 10) {
            // An exponent, or too large.
            const auto number = numberOf(text);
            return number ? std::optional(limited(*number * 1000)) : std::nullopt;
        }
        if (fraction < 3) {
            value = value * 10 + (c - '0');
            fraction += fraction >= 0 ? 1 : 0;
        } else if (fraction == 3) {
            value += c >= '5' ? 1 : 0;
            ++fraction;
        }
    }
    if (at == digits) {
        return std::nullopt;
    }
    for (int missing = std::max(fraction, 0); missing < 3; ++missing) {
        if (value > mostNanoseconds / 10) {
            return negative ? -mostNanoseconds : mostNanoseconds;
        }
        value *= 10;
    }
    return negative ? -value : value;
}

std::optional<std::int64_t> integerOf(std::string_view value) {
    value = unquoted(value);
    if (const auto number = base::wholeNumber<std::int64_t>(value)) {
        return number;
    }
    const auto real = numberOf(value);
    if (!real || !(std::abs(*real) < 9e18)) {
        return std::nullopt;
    }
    return static_cast<std::int64_t>(*real);
}

std::size_t skipContainer(std::string_view text, std::size_t at) {
    std::size_t depth = 0;
    while (at < text.size()) {
        switch (text[at++]) {
        case '"':
            at = base::endOfJsonString(text, at);
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

std::vector<Argument> membersOf(std::string_view object) {
    std::vector<Argument> members;
    JsonCursor cursor(object);
    takeMembers(cursor, [&](std::string_view key, std::string_view value, bool isWhole) {
        if (!isWhole && value.empty()) {
            return false;
        }
        const bool isText = value.size() >= 2 && value.front() == '"' && value.back() == '"';
        members.push_back({unescaped(key), isText ? unescaped(unquoted(value)) : std::string(value), isText});
        return true;
    });
    return members;
}

std::vector<Argument> argumentsOf(std::string_view event) {
    std::vector<Argument> found;
    JsonCursor cursor(event);
    takeMembers(cursor, [&](std::string_view key, std::string_view value, bool /*isWhole*/) {
        if (key == "args") {
            found = membersOf(value);
        }
        return key != "args";
    });
    return found;
}

} // namespace aotscope::timeline
