#pragma once

#include "timeline/event_text.h"

#include "base/json_text.h"

#include <cstddef>
#include <string_view>

namespace aotscope::timeline {

/// Walks over JSON that may be wrong. Every function moves forward or says that it could not.
class JsonCursor {
public:
    explicit JsonCursor(std::string_view text, std::size_t at = 0) : m_text(text), m_at(at) {}

    [[nodiscard]] std::size_t at() const { return m_at; }
    void moveTo(std::size_t at) { m_at = at; }
    [[nodiscard]] bool atEnd() const { return m_at >= m_text.size(); }
    /// The next character; 0 at the end.
    [[nodiscard]] char peek() const { return m_at < m_text.size() ? m_text[m_at] : '\0'; }

    void skipSpace() {
        while (m_at < m_text.size()) {
            const char c = m_text[m_at];
            if (c != ' ' && c != '\n' && c != '\r' && c != '\t') {
                return;
            }
            ++m_at;
        }
    }
    /// Takes a character after white space.
    bool take(char wanted) {
        skipSpace();
        if (peek() != wanted || atEnd()) {
            return false;
        }
        ++m_at;
        return true;
    }
    /// A string's text without its quotes, with its escapes; false: there is none, or it has no end.
    bool takeString(std::string_view& out) {
        if (!take('"')) {
            return false;
        }
        const std::size_t begin = m_at;
        m_at = base::endOfJsonString(m_text, begin);
        const bool ended = m_at > begin && m_text[m_at - 1] == '"';
        out = m_text.substr(begin, m_at - begin - (ended ? 1 : 0));
        return ended;
    }
    /// Any value as its text, a string with its quotes; false: there is none, or it has no end.
    bool takeValue(std::string_view& out) {
        skipSpace();
        const std::size_t begin = m_at;
        bool ended = true;
        switch (peek()) {
        case '"': {
            std::string_view inside;
            ended = takeString(inside);
            break;
        }
        case '{':
        case '[':
            m_at = skipContainer(m_text, m_at);
            ended = m_text[m_at - 1] == '}' || m_text[m_at - 1] == ']';
            break;
        default:
            skipScalar();
            ended = m_at > begin && m_at < m_text.size();
        }
        out = m_text.substr(begin, m_at - begin);
        return ended && m_at > begin;
    }

private:
    void skipScalar() {
        while (m_at < m_text.size()) {
            const char c = m_text[m_at];
            if (c == ',' || c == '}' || c == ']' || c == '{' || c == '[' || c == '"' || c == ':' ||
                static_cast<unsigned char>(c) <= ' ') {
                return;
            }
            ++m_at;
        }
    }

    std::string_view m_text;
    std::size_t m_at;
};

/// Calls `use` with the key of each member of the object that begins here, its value, a string with its
/// quotes, and whether the value has an end, until it returns false. False: the object is malformed or has no
/// end, or `use` returned false; the cursor is where that was noticed.
template<typename Use>
bool takeMembers(JsonCursor& cursor, Use&& use) {
    if (!cursor.take('{')) {
        return false;
    }
    if (cursor.take('}')) {
        return true;
    }
    do {
        std::string_view key;
        std::string_view value;
        if (!cursor.takeString(key) || !cursor.take(':')) {
            return false;
        }
        const bool isWhole = cursor.takeValue(value);
        if (!use(key, value, isWhole) || !isWhole) {
            return false;
        }
    } while (cursor.take(','));
    return cursor.take('}');
}

/// Calls `use` with the key and value of each whole member of an object until it returns false.
template<typename Use>
void forEachMember(std::string_view object, Use&& use) {
    JsonCursor cursor(object);
    takeMembers(cursor, [&](std::string_view key, std::string_view value, bool isWhole) {
        return isWhole && use(key, value);
    });
}

} // namespace aotscope::timeline
