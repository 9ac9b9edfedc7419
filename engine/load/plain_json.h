#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace aotscope::load {

/// A cursor over the JSON that Python's json module usually writes: ", " and ": " as separators, ASCII, short
/// escapes, numbers that fit a machine word. Each function moves past what it accepts, which is always valid
/// JSON. For anything else, valid or not, it returns false with the cursor anywhere; use the JSON library
/// then. Allocates nothing; views point into the text.
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

    /// The same for a literal, whose size is known at compile time.
    template<std::size_t size>
    bool take(const char (&wanted)[size]) { // NOLINT
        constexpr std::size_t length = size - 1;
        if (static_cast<std::size_t>(m_end - m_at) < length || std::memcmp(m_at, wanted, length) != 0) {
            return false;
        }
        m_at += length;
        return true;
    }

    /// The rest of a string without escapes, after its opening quote; takes the closing quote, too.
    bool takeString(std::string_view& out);
    /// A non-negative integer.
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
