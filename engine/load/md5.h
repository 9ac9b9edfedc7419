#pragma once

#include <boost/uuid/detail/md5.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace aotscope::load {

/// The MD5 digest that PyTorch writes for every payload, which protects against damage but not against
/// attacks. Follows torch 2.11, torch/_logging/_internal.py: trace_structured.
class Md5 {
public:
    void update(std::string_view bytes);
    /// 32 lower-case hexadecimal digits; call once.
    [[nodiscard]] std::string hexDigest();

private:
    // Boost's is the fastest one available: 680 MB/s on one core (OpenSSL's EVP: 590), and nothing to link.
    boost::uuids::detail::md5 m_md5;
    /// Boost's reads four bytes at a time, for which bytes from anywhere need not be aligned: whole blocks go
    /// through here.
    alignas(8) std::array<char, 4096> m_block = {};
    std::size_t m_used = 0;
};

/// Md5's digest of a whole text.
[[nodiscard]] std::string md5Of(std::string_view text);

} // namespace aotscope::load
