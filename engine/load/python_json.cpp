#include "load/python_json.h"

#include "base/characters.h"

#include <cstdint>

namespace aotscope::load {

namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd";

/// Length of the well-formed UTF-8 character at the front in bytes; 0: there is none.
std::size_t utf8Length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const auto tail = [&](std::size_t i) { return i < text.size() && (byte(i) & 0xc0U) == 0x80U; };
    const unsigned char lead = byte(0);
    if (lead < 0x80) {
        return 1;
    }
    if (lead >= 0xc2 && lead < 0xe0) {
        return tail(1) ? 2 : 0;
    }
    if (lead >= 0xe0 && lead < 0xf0) {
        const bool good =
            tail(1) && tail(2) && !(lead == 0xe0 && byte(1) < 0xa0) && !(lead == 0xed && byte(1) > 0x9f);
        return good ? 3 : 0;
    }
    if (lead >= 0xf0 && lead < 0xf5) {
        const bool good = tail(1) && tail(2) && tail(3) && !(lead == 0xf0 && byte(1) < 0x90) &&
                          !(lead == 0xf4 && byte(1) > 0x8f);
        return good ? 4 : 0;
    }
    return 0;
}

/// Code unit of the "\uXXXX" at the front; -1: there is none.
int codeUnit(std::string_view text) {
    if (text.size() < 6 || text[0] != '\\' || text[1] != 'u') {
        return -1;
    }
    int unit = 0;
    for (std::size_t i = 2; i < 6; ++i) {
        const char c = text[i];
        const char lower = static_cast<char>(c | 0x20);
        if (base::isDigit(c)) {
            unit = unit * 16 + (c - '0');
        } else if (lower >= 'a' && lower <= 'f') {
            unit = unit * 16 + (lower - 'a' + 10);
        } else {
            return -1;
        }
    }
    return unit;
}

class Rewriter {
public:
    Rewriter(std::string_view json, std::string& out) : m_left(json), m_out(out) {}

    bool run() {
        while (!m_left.empty()) {
            const char c = m_left[0];
            if (c == '"') {
                string();
            } else if (base::isDigit(c)) {
                number();
            } else if (!word("NaN") && !word("-Infinity") && !word("Infinity")) {
                character();
            }
        }
        return m_invalid;
    }

private:
    void copy(std::size_t count) {
        m_out += m_left.substr(0, count);
        m_left.remove_prefix(count);
    }

    bool word(std::string_view name) {
        if (!m_left.starts_with(name)) {
            return false;
        }
        m_left.remove_prefix(name.size());
        m_out += "null";
        return true;
    }

    void number() {
        constexpr std::size_t safeDigits = 18;
        std::size_t digits = 0;
        while (digits < m_left.size() && base::isDigit(m_left[digits])) {
            ++digits;
        }
        const char next = digits < m_left.size() ? m_left[digits] : ' ';
        if (digits > safeDigits && next != '.' && next != 'e' && next != 'E') {
            // The exact value does not matter, because such a number is not a valid id.
            m_out += m_left.substr(0, safeDigits);
            m_out += ".5";
            m_left.remove_prefix(digits);
        } else {
            copy(digits);
        }
        // The digits of a fraction are not a number of their own.
        while (!m_left.empty() && (base::isDigit(m_left[0]) || m_left[0] == '.')) {
            copy(1);
        }
    }

    void string() {
        copy(1);
        while (!m_left.empty() && m_left[0] != '"') {
            if (m_left[0] == '\\') {
                escape();
            } else {
                character();
            }
        }
        copy(std::min<std::size_t>(1, m_left.size()));
    }

    void escape() {
        const int unit = codeUnit(m_left);
        if (unit < 0xd800 || unit > 0xdfff) {
            copy(std::min<std::size_t>(2, m_left.size()));
            return;
        }
        const int second = unit < 0xdc00 ? codeUnit(m_left.substr(6)) : -1;
        if (second >= 0xdc00 && second <= 0xdfff) {
            copy(12);
        } else {
            m_out += replacement;
            m_left.remove_prefix(6);
        }
    }

    void character() {
        const std::size_t length = utf8Length(m_left);
        if (length > 0) {
            copy(length);
        } else {
            m_out += replacement;
            m_left.remove_prefix(1);
            m_invalid = true;
        }
    }

    std::string_view m_left;
    std::string& m_out;
    bool m_invalid = false;
};

} // namespace

bool strictJson(std::string_view json, std::string& out) {
    out.clear();
    out.reserve(json.size() + 64);
    return Rewriter(json, out).run();
}

} // namespace aotscope::load
