#include "load/payload_lines.h"

#ifdef __SSE2__
#include <emmintrin.h>
#else
#include <cstring>
#endif

namespace aotscope::load {

#ifdef __SSE2__

namespace {

constexpr std::size_t blockSize = 64;

__m128i load(const char* from) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)); // NOLINT
}

struct Block {
    /// Whether a line begins behind one of its bytes that is no payload.
    bool ends = false;
    bool ascii = true;
    std::uint64_t lineFeeds = 0;
};

Block look(const char* block) {
    const __m128i lineFeed = _mm_set1_epi8('\n');
    const __m128i tab = _mm_set1_epi8('\t');
    __m128i ends = _mm_setzero_si128();
    __m128i lineFeeds = _mm_setzero_si128();
    __m128i all = _mm_setzero_si128();
    for (std::size_t i = 0; i < blockSize; i += sizeof(__m128i)) {
        const __m128i bytes = load(block + i);
        const __m128i feeds = _mm_cmpeq_epi8(bytes, lineFeed);
        ends = _mm_or_si128(ends, _mm_andnot_si128(_mm_cmpeq_epi8(load(block + i + 1), tab), feeds));
        // A byte that is equal is -1.
        lineFeeds = _mm_sub_epi8(lineFeeds, feeds);
        all = _mm_or_si128(all, bytes);
    }
    const __m128i sums = _mm_sad_epu8(lineFeeds, _mm_setzero_si128());
    return {.ends = _mm_movemask_epi8(ends) != 0,
            .ascii = _mm_movemask_epi8(all) == 0,
            .lineFeeds = static_cast<std::uint64_t>(_mm_extract_epi16(sums, 0) + _mm_extract_epi16(sums, 4))};
}

} // namespace

PayloadLines countPayloadLines(std::string_view text) {
    PayloadLines out;
    std::size_t at = 0;
    // The byte behind a block is looked at too.
    for (; !text.empty() && text.front() == '\t' && at + blockSize < text.size(); at += blockSize) {
        const Block block = look(text.data() + at);
        out.ascii = out.ascii && block.ascii;
        if (block.ends) {
            break;
        }
        out.lines += block.lineFeeds;
    }
    const std::string_view looked = text.substr(0, at);
    out.bytes = looked.rfind('\n') == std::string_view::npos ? 0 : looked.rfind('\n') + 1;
    // The lines up to the one that begins in the block it broke at.
    while (at + blockSize < text.size() && text[out.bytes] == '\t') {
        out.bytes = text.find('\n', out.bytes) + 1;
        ++out.lines;
    }
    return out;
}

#else

PayloadLines countPayloadLines(std::string_view text) {
    PayloadLines out{.ascii = false};
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
