#pragma once

#include <string>
#include <string_view>

namespace aotscope::base {

/// Valid UTF-8 without control characters: a "?" in place of every byte that is neither. What is read from a
/// log may hold anything; what reads our files need not.
[[nodiscard]] std::string cleanText(std::string_view text);

/// The same as the text of an XML element or attribute.
[[nodiscard]] std::string xmlText(std::string_view text);

} // namespace aotscope::base
