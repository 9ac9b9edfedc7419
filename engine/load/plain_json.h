#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace aotscope::load {

/// A cursor over JSON as Python's json module writes nearly all of it: ", " and ": " between things, ASCII,
/// short escapes, numbers of a machine word. Each function steps over what it takes, and says false, with the
/// cursor anywhere, for everything else, right or wrong: that is left to the JSON library. What is taken is
/// valid JSON. Builds nothing; views point into the text.
class PlainJson {
public:
    explicit PlainJson(std::string_view text) : m_at(text.data()), m_end(text.data() + text.size()) {}

    bool take(std::string_view wanted) {
        if (static_cast<std::size_t>(m_end - m_at) < wanted.size() ||
            std::memcmp(m_at, wanted.data(), wanted.size()) != 0) {
            return false;
        }
        m_at += wanted.size();
        return true;
    }

    /// A literal, whose size the compiler knows.
    template<std::size_t size>
    bool take(const char (&wanted)[size]) { // NOLINT
        constexpr std::size_t length = size - 1;
        if (static_cast<std::size_t>(m_end - m_at) < length || std::memcmp(m_at, wanted, length) != 0) {
            return false;
        }
        m_at += length;
        return true;
    }

    /// A string without escapes, behind its opening quote, up to and with the closing one.
    bool takeString(std::string_view& out);
    /// A whole number from 0.
    bool takeNumber(std::optional<std::int32_t>& out);
    /// Any value.
    bool skipValue() { return skipValue(0); }

    [[nodiscard]] bool atEnd() const { return m_at == m_end; }
    [[nodiscard]] const char* at() const { return m_at; }
    [[nodiscard]] std::string_view rest() const { return {m_at, static_cast<std::size_t>(m_end - m_at)}; }

private:
    bool skipValue(int depth);
    bool skipObject(int depth);
    bool skipArray(int depth);
    bool skipString();
    bool skipNumber();
    bool skipDigits();

    const char* m_at;
    const char* m_end;
};

} // namespace aotscope::load
