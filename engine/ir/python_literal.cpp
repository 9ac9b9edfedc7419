#include "ir/python_literal.h"

#include "ir/python_printable.h"

#include "base/numbers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <utility>

namespace aotscope::ir {
namespace {

void appendUtf8(std::string& out, std::uint32_t code) {
    if (code < 0x80) {
        out += static_cast<char>(code);
    } else if (code < 0x800) {
        out += static_cast<char>(0xC0 | (code >> 6));
        out += static_cast<char>(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        out += static_cast<char>(0xE0 | (code >> 12));
        out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
        out += static_cast<char>(0x80 | (code & 0x3F));
    } else {
        out += static_cast<char>(0xF0 | (code >> 18));
        out += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
        out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
        out += static_cast<char>(0x80 | (code & 0x3F));
    }
}

/// The code point at the start of `text` and its length in bytes; length 0: not UTF-8. Surrogates are
/// accepted, because Python strings may contain them.
std::pair<std::uint32_t, std::size_t> codePointAt(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const std::size_t length = byte(0) >= 0xF0 ? 4 : (byte(0) >= 0xE0 ? 3 : (byte(0) >= 0xC2 ? 2 : 0));
    if (length == 0 || length > text.size() || byte(0) > 0xF4) {
        return {0, 0};
    }
    std::uint32_t code = byte(0) & (0xFFU >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xC0) != 0x80) {
            return {0, 0};
        }
        code = (code << 6) | (byte(i) & 0x3F);
    }
    return {code, length};
}

void appendHex(std::string& out, char kind, std::uint32_t value, int digits) {
    out += '\\';
    out += kind;
    for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) {
        out += "0123456789abcdef"[(value >> shift) & 0xF];
    }
}

void appendEscapedCodePoint(std::string& out, std::uint32_t code) {
    if (code < 0x100) {
        appendHex(out, 'x', code, 2);
    } else if (code < 0x10000) {
        appendHex(out, 'u', code, 4);
    } else {
        appendHex(out, 'U', code, 8);
    }
}

/// Value of `count` hexadecimal digits at `at`; nothing: there are fewer.
std::optional<std::uint32_t> hexadecimal(std::string_view text, std::size_t at, std::size_t count) {
    if (at + count > text.size()) {
        return std::nullopt;
    }
    std::uint32_t value = 0;
    const char* end = text.data() + at + count;
    const auto [stop, error] = std::from_chars(text.data() + at, end, value, 16);
    if (error != std::errc() || stop != end || value > 0x10FFFF) {
        return std::nullopt;
    }
    return value;
}

/// Decodes the escape whose backslash is at `at`; moves `at` behind it.
bool appendUnescaped(std::string& out, std::string_view text, std::size_t& at) {
    constexpr std::string_view letters = "ntr0abfv\\'\"";
    constexpr std::string_view values("\n\t\r\0\a\b\f\v\\'\"", 11);
    if (at + 1 >= text.size()) {
        return false;
    }
    const char kind = text[at + 1];
    if (const std::size_t simple = letters.find(kind); simple != std::string_view::npos) {
        out += values[simple];
        at += 2;
        return true;
    }
    const std::size_t digits = kind == 'x' ? 2 : (kind == 'u' ? 4 : (kind == 'U' ? 8 : 0));
    if (digits == 0) {
        return false;
    }
    const std::optional<std::uint32_t> code = hexadecimal(text, at + 2, digits);
    if (!code) {
        return false;
    }
    appendUtf8(out, *code);
    at += 2 + digits;
    return true;
}

std::string complexPart(double value) {
    std::string text = pythonFloat(value);
    if (text.ends_with(".0")) {
        text.resize(text.size() - 2);
    }
    return text;
}

} // namespace

std::string pythonFloat(double value) {
    if (std::isnan(value)) {
        return "nan";
    }
    if (std::isinf(value)) {
        return value < 0 ? "-inf" : "inf";
    }
    // repr uses scientific notation for exponents below -4 and from 16 on.
    std::array<char, 64> buffer{};
    const double magnitude = std::abs(value);
    const bool scientific = magnitude != 0 && (magnitude < 1e-4 || magnitude >= 1e16);
    const auto [end, error] =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                      scientific ? std::chars_format::scientific : std::chars_format::fixed);
    std::string text(buffer.data(), error == std::errc() ? end : buffer.data());
    if (!scientific && text.find('.') == std::string::npos) {
        text += ".0";
    }
    return text;
}

std::string pythonComplex(const std::complex<double>& value) {
    const bool onlyImaginary = value.real() == 0 && !std::signbit(value.real());
    std::string imaginary = complexPart(value.imag()) + 'j';
    if (onlyImaginary) {
        return imaginary;
    }
    if (imaginary.front() != '-') {
        imaginary.insert(imaginary.begin(), '+');
    }
    return '(' + complexPart(value.real()) + imaginary + ')';
}

std::string pythonString(std::string_view text) {
    const bool hasSingle = text.find('\'') != std::string_view::npos;
    const bool hasDouble = text.find('"') != std::string_view::npos;
    const char quote = hasSingle && !hasDouble ? '"' : '\'';
    std::string out(1, quote);
    for (std::size_t i = 0; i < text.size();) {
        const char c = text[i];
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x80) {
            const auto [code, length] = codePointAt(text.substr(i));
            if (length > 0 && !isPrintable(code)) {
                appendEscapedCodePoint(out, code);
            } else {
                out.append(text.substr(i, std::max<std::size_t>(length, 1)));
            }
            i += std::max<std::size_t>(length, 1);
            continue;
        }
        if (c == quote || c == '\\') {
            out += '\\';
            out += c;
        } else if (c == '\n' || c == '\r' || c == '\t') {
            out += '\\';
            out += c == '\n' ? 'n' : (c == '\r' ? 'r' : 't');
        } else if (byte < 0x20 || byte == 0x7F) {
            appendHex(out, 'x', byte, 2);
        } else {
            out += c;
        }
        ++i;
    }
    out += quote;
    return out;
}

std::optional<double> parsePythonFloat(std::string_view text) {
    return base::wholeNumber<double>(text);
}

std::optional<std::complex<double>> parsePythonComplex(std::string_view text) {
    const bool both = text.size() > 2 && text.front() == '(' && text.back() == ')';
    if (both) {
        text = text.substr(1, text.size() - 2);
    }
    if (text.empty() || text.back() != 'j') {
        return std::nullopt;
    }
    text.remove_suffix(1);
    double real = 0;
    if (both) {
        // The sign between real and imaginary part is the last one that does not belong to an exponent.
        std::size_t sign = text.find_last_of("+-");
        if (sign != std::string_view::npos && sign > 0 && text[sign - 1] == 'e') {
            sign = text.find_last_of("+-", sign - 1);
        }
        if (sign == std::string_view::npos || sign == 0) {
            return std::nullopt;
        }
        const std::optional<double> first = parsePythonFloat(text.substr(0, sign));
        if (!first) {
            return std::nullopt;
        }
        real = *first;
        text.remove_prefix(text[sign] == '+' ? sign + 1 : sign);
    }
    const std::optional<double> imaginary = parsePythonFloat(text);
    if (!imaginary) {
        return std::nullopt;
    }
    return std::complex<double>(real, *imaginary);
}

std::optional<std::string> parsePythonString(std::string_view literal) {
    if (literal.size() < 2 || literal.front() != literal.back()) {
        return std::nullopt;
    }
    const std::string_view text = literal.substr(1, literal.size() - 2);
    std::string out;
    if (text.find('\\') == std::string_view::npos) {
        out = text;
        return out;
    }
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size();) {
        if (text[i] != '\\') {
            out += text[i++];
        } else if (!appendUnescaped(out, text, i)) {
            return std::nullopt;
        }
    }
    return out;
}

} // namespace aotscope::ir
