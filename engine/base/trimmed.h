#pragma once

#include <string_view>

namespace aotscope::base {

/// Without these characters around it.
[[nodiscard]] constexpr std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\r\n") {
    const std::size_t first = text.find_first_not_of(blanks);
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Without a pair of quotes around it.
[[nodiscard]] constexpr std::string_view unquoted(std::string_view text) {
    const bool isQuoted = text.size() >= 2 && (text.front() == '\'' || text.front() == '"');
    return isQuoted && text.back() == text.front() ? text.substr(1, text.size() - 2) : text;
}

} // namespace aotscope::base
