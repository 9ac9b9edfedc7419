#include "load/md5.h"

#include "base/hex.h"

#include <algorithm>
#include <cstring>

namespace aotscope::load {

namespace {

/// Boost's digest consists of bytes since version 1.86, before of four-byte numbers.
template<typename Part, std::size_t Count>
std::string hexOf(const Part (&parts)[Count]) {
    std::string text;
    for (const Part part : parts) {
        base::appendHex(text, part, 2 * sizeof(Part));
    }
    return text;
}

} // namespace

void Md5::update(std::string_view bytes) {
    while (!bytes.empty()) {
        const std::size_t taken = std::min(bytes.size(), m_block.size() - m_used);
        std::memcpy(m_block.data() + m_used, bytes.data(), taken);
        m_used += taken;
        bytes.remove_prefix(taken);
        if (m_used == m_block.size()) {
            m_md5.process_bytes(m_block.data(), m_used);
            m_used = 0;
        }
    }
}

std::string Md5::hexDigest() {
    m_md5.process_bytes(m_block.data(), m_used);
    boost::uuids::detail::md5::digest_type digest = {};
    m_md5.get_digest(digest);
    return hexOf(digest);
}

std::string md5Of(std::string_view text) {
    Md5 digest;
    digest.update(text);
    return digest.hexDigest();
}

} // namespace aotscope::load
