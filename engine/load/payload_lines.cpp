#include "load/payload_lines.h"

#ifdef __SSE2__
#include <bit>
#include <emmintrin.h>
#else
#include <cstring>
#endif

namespace aotscope::load {

#ifdef __SSE2__

namespace {

constexpr std::size_t blockSize = 64;

/// A bit for each byte of a block that is `wanted`, the first byte's bit lowest.
std::uint64_t bitsOf(const char* block, char wanted) {
    const __m128i pattern = _mm_set1_epi8(wanted);
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < blockSize; i += sizeof(__m128i)) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + i)); // NOLINT
        const auto part = static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, pattern)));
        bits |= static_cast<std::uint64_t>(part) << i;
    }
    return bits;
}

} // namespace

PayloadLines countPayloadLines(std::string_view text) {
    PayloadLines out;
    std::uint64_t lineBefore = 1;
    for (std::size_t at = 0; at + blockSize <= text.size(); at += blockSize) {
        const std::uint64_t ends = bitsOf(text.data() + at, '\n');
        const std::uint64_t starts = ends << 1U | lineBefore;
        const std::uint64_t others = starts & ~bitsOf(text.data() + at, '\t');
        if (others != 0) {
            const auto first = static_cast<std::size_t>(std::countr_zero(others));
            const std::uint64_t before = (std::uint64_t{1} << first) - 1;
            out.lines += static_cast<std::uint64_t>(std::popcount(ends & before));
            out.bytes = at + first;
            return out;
        }
        if (ends != 0) {
            out.lines += static_cast<std::uint64_t>(std::popcount(ends));
            out.bytes = at + blockSize - static_cast<std::size_t>(std::countl_zero(ends));
        }
        lineBefore = ends >> (blockSize - 1);
    }
    return out;
}

#else

PayloadLines countPayloadLines(std::string_view text) {
    PayloadLines out;
    while (out.bytes < text.size() && text[out.bytes] == '\t') {
        const void* const end = std::memchr(text.data() + out.bytes, '\n', text.size() - out.bytes);
        if (end == nullptr) {
            break;
        }
        out.bytes = static_cast<std::size_t>(static_cast<const char*>(end) - text.data()) + 1;
        ++out.lines;
    }
    return out;
}

#endif

} // namespace aotscope::load
