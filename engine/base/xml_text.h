#pragma once

#include <string>
#include <string_view>

namespace aotscope::base {

/// Valid UTF-8 without control characters: every other byte becomes "?". A log may contain any bytes, but the
/// programs that read the exported files do not accept them.
[[nodiscard]] std::string cleanText(std::string_view text);

/// cleanText, escaped as the text of an XML element or attribute.
[[nodiscard]] std::string xmlText(std::string_view text);

} // namespace aotscope::base
