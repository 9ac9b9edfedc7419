#include "ir/json/json_writer.h"

#include <array>
#include <charconv>
#include <cmath>

namespace aotscope::ir::detail {
namespace {

bool isContinuation(std::string_view text, std::size_t at) {
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
}

/// Length of the well-formed UTF-8 sequence at `at` (RFC 3629: no overlong forms, no surrogates); 0: none.
std::size_t sequenceLength(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
    const unsigned char lead = byte(0);
    std::size_t length = 0;
    if (lead >= 0xC2 && lead <= 0xDF) {
        length = 2;
    } else if (lead >= 0xE0 && lead <= 0xEF) {
        length = 3;
    } else if (lead >= 0xF0 && lead <= 0xF4) {
        length = 4;
    }
    for (std::size_t i = 1; i < length; ++i) {
        if (!isContinuation(text, at + i)) {
            return 0;
        }
    }
    const bool overlong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
    const bool outside = (lead == 0xED && byte(1) > 0x9F) || (lead == 0xF4 && byte(1) > 0x8F);
    return overlong || outside ? 0 : length;
}

} // namespace

void JsonWriter::separate() {
    if (m_follows) {
        m_text += m_text.back() == '\n' ? "" : ", ";
    }
    m_follows = true;
}

void JsonWriter::openObject() {
    separate();
    m_text += '{';
    m_follows = false;
}

void JsonWriter::closeObject() {
    m_text += '}';
    m_follows = true;
}

void JsonWriter::openList() {
    separate();
    m_text += '[';
    m_follows = false;
}

void JsonWriter::closeList() {
    m_text += ']';
    m_follows = true;
}

void JsonWriter::lineBreak() {
    m_text += m_follows ? ",\n" : "\n";
    m_follows = false;
}

void JsonWriter::key(std::string_view name) {
    string(name);
    m_text += ": ";
    m_follows = false;
}

void JsonWriter::string(std::string_view text) {
    separate();
    m_text += '"';
    std::size_t plain = 0;
    for (std::size_t i = 0; i < text.size();) {
        const auto c = static_cast<unsigned char>(text[i]);
        if (c >= 0x20 && c < 0x80 && c != '"' && c != '\\') {
            ++i;
            continue;
        }
        const std::size_t length = c < 0x80 ? 0 : sequenceLength(text, i);
        if (length > 0) {
            i += length;
            continue;
        }
        m_text.append(text, plain, i - plain);
        escaped(text[i]);
        plain = ++i;
    }
    m_text.append(text, plain, text.size() - plain);
    m_text += '"';
}

void JsonWriter::escaped(char c) {
    constexpr std::string_view hex = "0123456789abcdef";
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
        m_text += '\\';
        m_text += c;
    } else if (c == '\n') {
        m_text += "\\n";
    } else if (c == '\t') {
        m_text += "\\t";
    } else if (code < 0x20) {
        m_text += "\\u00";
        m_text += hex[code >> 4U];
        m_text += hex[code & 15U];
    } else {
        m_text += "\\ufffd";
    }
}

void JsonWriter::integer(std::int64_t value) {
    separate();
    std::array<char, 24> digits{};
    const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    m_text.append(digits.data(), result.ptr);
}

void JsonWriter::boolean(bool value) {
    separate();
    m_text += value ? "true" : "false";
}

void JsonWriter::null() {
    separate();
    m_text += "null";
}

void JsonWriter::number(double value) {
    if (!std::isfinite(value)) {
        openObject();
        key("float");
        const std::string_view magnitude = std::isnan(value) ? "nan" : "inf";
        string((std::signbit(value) ? "-" : "") + std::string(magnitude));
        closeObject();
        return;
    }
    separate();
    std::array<char, 32> digits{};
    const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    const std::string_view text(digits.data(), static_cast<std::size_t>(result.ptr - digits.data()));
    m_text += text;
    if (text.find_first_of(".e") == std::string_view::npos) {
        m_text += ".0";
    }
}

void JsonWriter::raw(std::string_view json) {
    separate();
    m_text += json;
}

} // namespace aotscope::ir::detail
