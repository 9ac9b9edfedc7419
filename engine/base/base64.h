#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace aotscope::base {

/// Bytes as text in base64 (RFC 4648), padded.
[[nodiscard]] std::string toBase64(std::string_view bytes);
/// Nothing for a text that toBase64 does not write.
[[nodiscard]] std::optional<std::string> fromBase64(std::string_view text);

} // namespace aotscope::base
