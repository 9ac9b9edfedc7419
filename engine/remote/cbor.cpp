#include "remote/cbor.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace aotscope::remote {

namespace {

enum Major : unsigned { Unsigned, Negative, Bytes, Text, List, Map, Tag, Simple };

/// A list or an object whose end has not been reached.
struct Open {
    std::uint64_t left = 0;
    bool isMap = false;
};

class CborCheck {
public:
    explicit CborCheck(std::string_view bytes) : m_bytes(bytes) {}

    base::Result<void> check() {
        do {
            if (const char* wrong = item()) {
                return base::Error{.code = "remote.malformed",
                                   .message = "At byte " + std::to_string(m_at) +
                                              " of a message's body: " + wrong + "."};
            }
            while (!m_open.empty() && m_open.back().left == 0) {
                m_open.pop_back();
            }
        } while (!m_open.empty());
        if (m_at != m_bytes.size()) {
            return base::Error{.code = "remote.malformed",
                               .message = "A message's body goes on after its end at byte " +
                                          std::to_string(m_at) + "."};
        }
        return {};
    }

private:
    /// The next item, of a list or object its head alone. Null: it is fine, else what is wrong.
    const char* item() {
        if (m_at == m_bytes.size()) {
            return "it ends too early";
        }
        const auto first = static_cast<unsigned char>(m_bytes[m_at]);
        const auto major = static_cast<Major>(first >> 5U);
        const unsigned info = first & 0x1FU;
        const bool isName = !m_open.empty() && m_open.back().isMap && m_open.back().left % 2 == 0;
        if (isName && major != Text) {
            return "a member has no name";
        }
        if (!m_open.empty()) {
            --m_open.back().left;
        }
        ++m_at;
        if (major == Simple) {
            return simple(info);
        }
        const auto number = argument(info);
        if (!number) {
            return "a length or number is cut off or of no known form";
        }
        return major == Tag ? "tags are not allowed" : rest(major, *number);
    }

    const char* simple(unsigned info) {
        constexpr unsigned falseInfo = 20;
        constexpr unsigned nullInfo = 22;
        constexpr unsigned halfInfo = 25;
        constexpr unsigned doubleInfo = 27;
        if (info >= falseInfo && info <= nullInfo) {
            return nullptr;
        }
        if (info < halfInfo || info > doubleInfo) {
            return "it is no value";
        }
        return argument(info) ? nullptr : "a number is cut off";
    }

    /// The number in the head of an item.
    std::optional<std::uint64_t> argument(unsigned info) {
        constexpr unsigned oneByte = 24;
        constexpr unsigned eightBytes = 27;
        if (info < oneByte) {
            return info;
        }
        const std::size_t size = std::size_t{1} << (info - oneByte);
        if (info > eightBytes || m_bytes.size() - m_at < size) {
            return std::nullopt;
        }
        std::uint64_t number = 0;
        for (std::size_t i = 0; i < size; ++i) {
            number = (number << 8U) | static_cast<unsigned char>(m_bytes[m_at++]);
        }
        return number;
    }

    const char* rest(Major major, std::uint64_t number) {
        const std::uint64_t left = m_bytes.size() - m_at;
        if (major == Bytes || major == Text) {
            if (number > left) {
                return "a text is cut off";
            }
            m_at += number;
        } else if (major == List || major == Map) {
            // Each element takes a byte at least.
            if (number > left || (major == Map && number > left / 2)) {
                return "a list is cut off";
            }
            if (m_open.size() == mostNesting) {
                return "it is nested too deeply";
            }
            m_open.push_back({major == Map ? 2 * number : number, major == Map});
        }
        return nullptr;
    }

    std::string_view m_bytes;
    std::size_t m_at = 0;
    std::vector<Open> m_open;
};

} // namespace

base::Result<void> checkCbor(std::string_view bytes) {
    return CborCheck(bytes).check();
}

} // namespace aotscope::remote
