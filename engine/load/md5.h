#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace aotscope::load {

/// The MD5 digest that PyTorch writes beside every payload: a check against damage, not against people.
class Md5 {
public:
    void update(std::string_view bytes);
    /// 32 lower-case hexadecimal digits; call once.
    [[nodiscard]] std::string hexDigest();

private:
    void block(const unsigned char* bytes);

    std::array<std::uint32_t, 4> m_state = {0x67452301U, 0xefcdab89U, 0x98badcfeU, 0x10325476U};
    std::array<unsigned char, 64> m_pending = {};
    std::uint64_t m_length = 0;
};

} // namespace aotscope::load
