#include "load/md5.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace aotscope::load {

namespace {

// RFC 1321: floor(2^32 * abs(sin(i + 1))).
constexpr std::array<std::uint32_t, 64> sines = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};
constexpr std::array<std::array<int, 4>, 4> shifts = {
    {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}}};

} // namespace

void Md5::block(const unsigned char* bytes) {
    std::array<std::uint32_t, 16> words = {};
    for (std::size_t i = 0; i < words.size(); ++i) {
        const unsigned char* const at = bytes + i * 4;
        words[i] = static_cast<std::uint32_t>(at[0]) | static_cast<std::uint32_t>(at[1]) << 8U |
                   static_cast<std::uint32_t>(at[2]) << 16U | static_cast<std::uint32_t>(at[3]) << 24U;
    }
    std::uint32_t a = m_state[0];
    std::uint32_t b = m_state[1];
    std::uint32_t c = m_state[2];
    std::uint32_t d = m_state[3];
    const auto step = [&](std::size_t i, std::uint32_t mixed, std::size_t word) {
        const std::uint32_t sum = a + mixed + sines[i] + words[word];
        a = d;
        d = c;
        c = b;
        b += std::rotl(sum, shifts[i / 16][i % 4]);
    };
    for (std::size_t i = 0; i < 16; ++i) {
        step(i, (b & c) | (~b & d), i);
    }
    for (std::size_t i = 16; i < 32; ++i) {
        step(i, (d & b) | (~d & c), (5 * i + 1) % 16);
    }
    for (std::size_t i = 32; i < 48; ++i) {
        step(i, b ^ c ^ d, (3 * i + 5) % 16);
    }
    for (std::size_t i = 48; i < 64; ++i) {
        step(i, c ^ (b | ~d), (7 * i) % 16);
    }
    m_state[0] += a;
    m_state[1] += b;
    m_state[2] += c;
    m_state[3] += d;
}

void Md5::update(std::string_view bytes) {
    const auto* at = reinterpret_cast<const unsigned char*>(bytes.data());
    std::size_t left = bytes.size();
    std::size_t held = m_length % m_pending.size();
    m_length += left;
    if (held > 0) {
        const std::size_t taken = std::min(left, m_pending.size() - held);
        std::memcpy(m_pending.data() + held, at, taken);
        at += taken;
        left -= taken;
        held += taken;
        if (held < m_pending.size()) {
            return;
        }
        block(m_pending.data());
    }
    for (; left >= m_pending.size(); left -= m_pending.size(), at += m_pending.size()) {
        block(at);
    }
    if (left > 0) {
        std::memcpy(m_pending.data(), at, left);
    }
}

std::string Md5::hexDigest() {
    const std::uint64_t bits = m_length * 8;
    update(std::string_view("\x80", 1));
    while (m_length % m_pending.size() != 56) {
        update(std::string_view("\0", 1));
    }
    std::array<char, 8> length = {};
    for (std::size_t i = 0; i < length.size(); ++i) {
        length[i] = static_cast<char>(bits >> (8 * i));
    }
    update({length.data(), length.size()});
    static constexpr std::string_view digits = "0123456789abcdef";
    std::string out;
    for (const std::uint32_t word : m_state) {
        for (unsigned int i = 0; i < 4; ++i) {
            const std::uint32_t byte = word >> (8U * i) & 0xffU;
            out += digits[byte >> 4U];
            out += digits[byte & 15U];
        }
    }
    return out;
}

} // namespace aotscope::load
