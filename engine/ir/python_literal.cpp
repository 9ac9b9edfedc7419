#include "ir/python_literal.h"

#include "base/hex.h"
#include "base/numbers.h"
#include "base/utf8.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace aotscope::ir {
namespace {

void appendEscape(std::string& out, char kind, std::uint32_t value, unsigned digits) {
    out += '\\';
    out += kind;
    base::appendHex(out, value, digits);
}

void appendEscapedCodePoint(std::string& out, std::uint32_t code) {
    if (code < 0x100) {
        appendEscape(out, 'x', code, 2);
    } else if (code < 0x10000) {
        appendEscape(out, 'u', code, 4);
    } else {
        appendEscape(out, 'U', code, 8);
    }
}

/// Value of `count` hexadecimal digits at `at`; nothing: there are fewer.
std::optional<std::uint32_t> hexadecimal(std::string_view text, std::size_t at, std::size_t count) {
    const auto value = at + count > text.size() ? std::nullopt : base::hexNumber(text.substr(at, count));
    return value && *value <= 0x10FFFF ? value : std::nullopt;
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
    base::appendUtf8(out, *code);
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
    const double magnitude = std::abs(value);
    const bool scientific = magnitude != 0 && (magnitude < 1e-4 || magnitude >= 1e16);
    std::string text =
        base::numberText(value, scientific ? std::chars_format::scientific : std::chars_format::fixed);
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
            const auto [code, length] = base::firstCharacter(text.substr(i), base::Surrogates::Taken);
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
            appendEscape(out, 'x', byte, 2);
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
