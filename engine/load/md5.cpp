#include "load/md5.h"

#include <array>
#include <cstdint>
#include <cstdio>

namespace aotscope::load {

namespace {

/// Boost's digest consists of bytes since version 1.86, before of four-byte numbers.
template<typename Part, std::size_t Count>
std::string hexOf(const Part (&parts)[Count]) {
    std::string text;
    for (const Part part : parts) {
        std::array<char, 2 * sizeof(Part) + 1> digits = {};
        static_cast<void>(std::snprintf(digits.data(), digits.size(), "%0*x", int(2 * sizeof(Part)),
                                        static_cast<std::uint32_t>(part)));
        text += digits.data();
    }
    return text;
}

} // namespace

std::string Md5::hexDigest() {
    boost::uuids::detail::md5::digest_type digest = {};
    m_md5.get_digest(digest);
    return hexOf(digest);
}

} // namespace aotscope::load
