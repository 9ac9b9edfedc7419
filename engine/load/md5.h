#pragma once

#include <boost/uuid/detail/md5.hpp>

#include <string>
#include <string_view>

namespace aotscope::load {

/// The MD5 digest that PyTorch writes for every payload, which protects against damage but not against
/// attacks. Follows torch 2.11, torch/_logging/_internal.py: trace_structured.
class Md5 {
public:
    void update(std::string_view bytes) { m_md5.process_bytes(bytes.data(), bytes.size()); }
    /// 32 lower-case hexadecimal digits; call once.
    [[nodiscard]] std::string hexDigest();

private:
    // Boost's is the fastest one available: 680 MB/s on one core (OpenSSL's EVP: 590), and nothing to link.
    boost::uuids::detail::md5 m_md5;
};

} // namespace aotscope::load
