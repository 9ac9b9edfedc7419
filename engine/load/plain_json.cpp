#include "load/plain_json.h"

#include "base/characters.h"

#include <bit>
#include <charconv>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace aotscope::load {

namespace {

// Deeper values are left to the library, which has its own limit.
constexpr int deepest = 16;
// More digits may not fit a machine word.
constexpr std::ptrdiff_t mostDigits = 18;

/// The characters that may follow a backslash, except u.
constexpr std::string_view shortEscapes = "\"\\/bfnrt";

/// Whether it is a control character or not ASCII.
bool isSpecial(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte >= 0x80;
}

#ifdef __SSE2__

constexpr std::size_t stringBlockSize = 64;

/// One bit for each byte of a block of a string.
struct StringBlock {
    std::uint64_t quotes = 0;
    std::uint64_t backslashes = 0;
    std::uint64_t lineFeedLetters = 0;
    std::uint64_t specials = 0;
};

std::uint64_t bits(__m128i equal) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(equal)));
}

StringBlock lookThrough(const char* block) {
    StringBlock out;
    for (std::size_t i = 0; i < stringBlockSize; i += sizeof(__m128i)) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + i)); // NOLINT
        out.quotes |= bits(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'))) << i;
        out.backslashes |= bits(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'))) << i;
        out.lineFeedLetters |= bits(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('n'))) << i;
        // Bytes from 0x80 are negative.
        out.specials |= bits(_mm_cmplt_epi8(bytes, _mm_set1_epi8(0x20))) << i;
    }
    return out;
}

/// One bit for each of 16 bytes at which the string ends or is not plain.
std::uint32_t stopsIn(const char* text) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text)); // NOLINT
    const __m128i stops = _mm_or_si128(
        _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'))),
        _mm_cmplt_epi8(bytes, _mm_set1_epi8(0x20)));
    return static_cast<std::uint32_t>(_mm_movemask_epi8(stops));
}

/// The bytes that follow an unescaped backslash. `carried` says this for the first byte of the block, and on
/// return for the first byte of the next block. Single backslashes are handled at once; runs of them one by
/// one.
std::uint64_t escaped(std::uint64_t backslashes, bool& carried) {
    std::uint64_t behind = carried ? 1 : 0;
    if ((backslashes & (backslashes << 1U | behind)) == 0) {
        carried = backslashes >> 63U != 0;
        return behind | backslashes << 1U;
    }
    for (std::size_t i = 0; i < stringBlockSize; ++i) {
        const bool begins = (backslashes >> i & 1U) != 0 && (behind >> i & 1U) == 0;
        if (i + 1 == stringBlockSize) {
            carried = begins;
        } else if (begins) {
            behind |= std::uint64_t{2} << i;
        }
    }
    return behind;
}

#endif

} // namespace

bool PlainJson::takeString(std::string_view& out) {
    const char* at = m_at;
#ifdef __SSE2__
    // Fast path for keys and digests.
    while (static_cast<std::size_t>(m_end - at) >= sizeof(__m128i)) {
        const std::uint32_t stops = stopsIn(at);
        at += stops == 0 ? sizeof(__m128i) : static_cast<std::size_t>(std::countr_zero(stops));
        if (stops != 0) {
            break;
        }
    }
#endif
    while (at != m_end && *at != '"') {
        if (*at == '\\' || isSpecial(*at)) {
            return false;
        }
        ++at;
    }
    if (at == m_end) {
        return false;
    }
    out = {m_at, static_cast<std::size_t>(at - m_at)};
    m_at = at + 1;
    return true;
}

bool PlainJson::takeNumber(std::optional<std::int32_t>& out) {
    std::int32_t number = 0;
    const auto [end, error] = std::from_chars(m_at, m_end, number);
    if (error != std::errc() || number < 0 || (*m_at == '0' && end != m_at + 1)) {
        return false;
    }
    m_at = end;
    out = number;
    return true;
}

bool PlainJson::skipValue(int depth) {
    if (m_at == m_end || depth > deepest) {
        return false;
    }
    switch (*m_at) {
    case '"':
        ++m_at;
        return skipString();
    case '{':
        return skipObject(depth);
    case '[':
        return skipArray(depth);
    case 't':
        return take("true");
    case 'f':
        return take("false");
    case 'n':
        return take("null");
    default:
        return skipNumber();
    }
}

bool PlainJson::skipObject(int depth) {
    if (take("{}")) {
        return true;
    }
    ++m_at;
    do {
        if (!take("\"") || !skipString() || !take(": ") || !skipValue(depth + 1)) {
            return false;
        }
    } while (take(", "));
    return take("}");
}

bool PlainJson::skipArray(int depth) {
    if (take("[]")) {
        return true;
    }
    ++m_at;
    do {
        if (!skipValue(depth + 1)) {
            return false;
        }
    } while (take(", "));
    return take("]");
}

/// Most strings are short, but those with the configuration have 15,000 bytes full of escapes.
bool PlainJson::skipString() {
#ifdef __SSE2__
    if (static_cast<std::size_t>(m_end - m_at) >= sizeof(__m128i)) {
        const std::uint32_t stops = stopsIn(m_at);
        m_at += stops == 0 ? sizeof(__m128i) : static_cast<std::size_t>(std::countr_zero(stops));
        if (stops != 0 && *m_at == '"') {
            ++m_at;
            return true;
        }
    }
    bool carried = false;
    while (static_cast<std::size_t>(m_end - m_at) >= stringBlockSize) {
        const StringBlock block = lookThrough(m_at);
        const std::uint64_t behind = escaped(block.backslashes, carried);
        const std::uint64_t ends = block.quotes & ~behind;
        const std::uint64_t inside = ends == 0 ? ~std::uint64_t{0} : (ends & (~ends + 1)) - 1;
        const std::uint64_t plain = block.quotes | block.backslashes | block.lineFeedLetters;
        if ((block.specials & inside) != 0) {
            return false;
        }
        for (std::uint64_t rare = behind & inside & ~plain; rare != 0; rare &= rare - 1) {
            if (shortEscapes.find(m_at[std::countr_zero(rare)]) == std::string_view::npos) {
                return false;
            }
        }
        if (ends != 0) {
            m_at += std::countr_zero(ends) + 1;
            return true;
        }
        m_at += stringBlockSize;
    }
    if (carried) {
        --m_at;
    }
#endif
    for (; m_at != m_end; ++m_at) {
        if (*m_at == '"') {
            ++m_at;
            return true;
        }
        if (isSpecial(*m_at)) {
            return false;
        }
        if (*m_at == '\\' && (++m_at == m_end || shortEscapes.find(*m_at) == std::string_view::npos)) {
            return false;
        }
    }
    return false;
}

bool PlainJson::skipDigits() {
    const char* const from = m_at;
    while (m_at != m_end && base::isDigit(*m_at)) {
        ++m_at;
    }
    return m_at != from && m_at - from <= mostDigits;
}

/// Does not accept an exponent, because it could be too large.
bool PlainJson::skipNumber() {
    if (*m_at == '-') {
        ++m_at;
    }
    const char* const from = m_at;
    if (!skipDigits() || (*from == '0' && m_at != from + 1)) {
        return false;
    }
    if (m_at != m_end && *m_at == '.') {
        ++m_at;
        if (!skipDigits()) {
            return false;
        }
    }
    return m_at == m_end || (*m_at != 'e' && *m_at != 'E');
}

} // namespace aotscope::load
