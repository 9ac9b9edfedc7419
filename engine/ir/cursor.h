#pragma once

#include "base/characters.h"
#include "base/result.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

/// A reading position in a text, for the parsers of graph text.
namespace aotscope::ir {

/// Thrown by the parsers of graph text and converted to a Result at their only entry point: the grammar is
/// recursive and almost every step can fail.
struct ParseFailure {
    base::Error error;
};

using base::isDigit;
/// Includes the bytes of non-ASCII characters, which Python allows in identifiers.
[[nodiscard]] inline bool isIdentifierStart(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
}
/// A table, because the parsers check every character of every name.
inline constexpr std::array<bool, 256> identifierParts = [] {
    std::array<bool, 256> parts{};
    for (std::size_t c = 0; c < parts.size(); ++c) {
        parts[c] = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                   c >= 0x80;
    }
    return parts;
}();
[[nodiscard]] inline bool isIdentifierPart(char c) {
    return identifierParts[static_cast<unsigned char>(c)];
}
/// Without trailing spaces and carriage returns.
[[nodiscard]] inline std::string_view trimmedRight(std::string_view text) {
    while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) {
        text.remove_suffix(1);
    }
    return text;
}
[[nodiscard]] inline bool isIdentifier(std::string_view text) {
    return !text.empty() && isIdentifierStart(text.front()) && std::ranges::all_of(text, isIdentifierPart);
}

class TextCursor {
public:
    explicit TextCursor(std::string_view text) : m_text(text) {}

    [[nodiscard]] bool atEnd() const { return m_at >= m_text.size(); }
    /// The next character; NUL at the end.
    [[nodiscard]] char peek(std::size_t ahead = 0) const {
        return m_at + ahead < m_text.size() ? m_text[m_at + ahead] : '\0';
    }
    [[nodiscard]] std::string_view rest() const { return m_text.substr(std::min(m_at, m_text.size())); }
    [[nodiscard]] std::size_t position() const { return m_at; }
    [[nodiscard]] std::string_view since(std::size_t position) const {
        return m_text.substr(position, m_at - position);
    }
    void moveTo(std::size_t position) { m_at = position; }
    void advance(std::size_t count = 1) { m_at = std::min(m_at + count, m_text.size()); }

    [[nodiscard]] bool startsWith(std::string_view expected) const {
        return m_text.size() - m_at >= expected.size() &&
               std::memcmp(m_text.data() + m_at, expected.data(), expected.size()) == 0;
    }
    [[nodiscard]] bool take(char expected) {
        if (peek() != expected || atEnd()) {
            return false;
        }
        ++m_at;
        return true;
    }
    [[nodiscard]] bool take(std::string_view expected) {
        if (!startsWith(expected)) {
            return false;
        }
        m_at += expected.size();
        return true;
    }
    void expect(std::string_view expected, std::string_view where) {
        if (!take(expected)) {
            fail("expected '" + std::string(expected) + "' " + std::string(where));
        }
    }

    void skipSpaces() {
        while (m_at < m_text.size() &&
               (m_text[m_at] == ' ' || m_text[m_at] == '\t' || m_text[m_at] == '\r')) {
            ++m_at;
        }
    }
    /// Skips spaces and line ends: inside brackets Python ignores line ends.
    void skipBlanks() {
        while (m_at < m_text.size() && (m_text[m_at] == ' ' || m_text[m_at] == '\t' || m_text[m_at] == '\r' ||
                                        m_text[m_at] == '\n')) {
            ++m_at;
        }
    }
    [[nodiscard]] bool atLineEnd() const { return atEnd() || m_text[m_at] == '\n'; }
    /// The rest of the line without its end; the cursor moves to the line end.
    std::string_view restOfLine() {
        const std::size_t first = m_at;
        const std::size_t end = m_text.find('\n', m_at);
        m_at = end == std::string_view::npos ? m_text.size() : end;
        return trimmedRight(since(first));
    }
    /// The text of a comment that begins here, up to the line's end; empty: there is none.
    std::string_view comment() {
        if (!take('#')) {
            return {};
        }
        skipSpaces();
        return restOfLine();
    }
    /// Takes an identifier; empty if there is none here.
    std::string_view identifier() {
        const std::size_t first = m_at;
        if (m_at < m_text.size() && isIdentifierStart(m_text[m_at])) {
            ++m_at;
            while (m_at < m_text.size() && isIdentifierPart(m_text[m_at])) {
                ++m_at;
            }
        }
        return m_text.substr(first, m_at - first);
    }

    [[noreturn]] void fail(std::string what) const { failAt(m_at, std::move(what)); }
    /// Throws ir.text_syntax at a byte position, with line, column and the line itself.
    [[noreturn]] void failAt(std::size_t position, std::string what,
                             std::string_view code = "ir.text_syntax") const;

private:
    std::string_view m_text;
    std::size_t m_at = 0;
};

} // namespace aotscope::ir
