#include "load/payload_lines.h"

#include <array>
#include <bit>
#ifdef __SSE2__
#include <immintrin.h>
#else
#include <cstring>
#endif

namespace aotscope::load {

#ifdef __SSE2__

namespace {

constexpr std::size_t blockSize = 64;
constexpr std::size_t blocks = 4;
constexpr std::size_t groupSize = blocks * blockSize;
// Bytes to prefetch ahead: the processor's own prefetching stops at the end of a page.
constexpr std::size_t readAhead = 2048;

/// One bit for each byte of several blocks.
struct Group {
    std::array<std::uint64_t, blocks> lineFeeds{};
    std::array<std::uint64_t, blocks> tabs{};
    bool ascii = true;
};

std::uint64_t bits(int mask) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(mask));
}

void look(const char* text, Group& out) {
    __m128i all = _mm_setzero_si128();
    for (std::size_t i = 0; i < groupSize; i += sizeof(__m128i)) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + i)); // NOLINT
        const std::size_t shift = i % blockSize;
        out.lineFeeds[i / blockSize] |= bits(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n'))))
                                        << shift;
        out.tabs[i / blockSize] |= bits(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\t'))))
                                   << shift;
        all = _mm_or_si128(all, bytes);
    }
    out.ascii = _mm_movemask_epi8(all) == 0;
}

/// The same with AVX2.
[[gnu::target("avx2,popcnt")]] void lookWide(const char* text, Group& out) {
    __m256i all = _mm256_setzero_si256();
    for (std::size_t i = 0; i < groupSize; i += sizeof(__m256i)) {
        const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text + i)); // NOLINT
        const std::size_t shift = i % blockSize;
        out.lineFeeds[i / blockSize] |=
            bits(_mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('\n')))) << shift;
        out.tabs[i / blockSize] |=
            bits(_mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('\t')))) << shift;
        all = _mm256_or_si256(all, bytes);
    }
    out.ascii = _mm256_movemask_epi8(all) == 0;
}

/// Inlined, so that it is compiled for the same instruction set as `lookThrough`.
template<auto lookThrough>
[[gnu::always_inline]] inline PayloadLines countWith(std::string_view text) {
    PayloadLines out;
    std::size_t at = 0;
    // The byte after a group is read, too.
    for (; !text.empty() && text.front() == '\t' && at + groupSize < text.size(); at += groupSize) {
        _mm_prefetch(text.data() + at + readAhead, _MM_HINT_T0);
        Group group;
        lookThrough(text.data() + at, group);
        out.ascii = out.ascii && group.ascii;
        for (std::size_t i = 0; i < blocks; ++i) {
            const std::uint64_t lineFeeds = group.lineFeeds[i];
            const bool tabBehind =
                i + 1 < blocks ? (group.tabs[i + 1] & 1U) != 0 : text[at + groupSize] == '\t';
            const std::uint64_t beforeTabs = group.tabs[i] >> 1U | std::uint64_t{tabBehind}
                                                                       << (blockSize - 1);
            if (const std::uint64_t ends = lineFeeds & ~beforeTabs; ends != 0) {
                // All bits up to and including the first line feed that no payload line follows.
                const std::uint64_t counted = ends ^ (ends - 1);
                out.lines += static_cast<std::uint64_t>(std::popcount(lineFeeds & counted));
                out.bytes = at + i * blockSize + static_cast<std::size_t>(std::popcount(counted));
                return out;
            }
            out.lines += static_cast<std::uint64_t>(std::popcount(lineFeeds));
        }
    }
    out.bytes = text.substr(0, at).rfind('\n') + 1;
    return out;
}

PayloadLines count(std::string_view text) {
    return countWith<look>(text);
}

[[gnu::target("avx2,popcnt")]] PayloadLines countWide(std::string_view text) {
    return countWith<lookWide>(text);
}

} // namespace

PayloadLines countPayloadLines(std::string_view text) {
    static const bool isWide = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("popcnt") != 0;
    return isWide ? countWide(text) : count(text);
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
