#pragma once

#include <algorithm>
#include <string_view>

namespace aotscope::base {

/// Whether `part` occurs in `text`; C++23 has it as a member.
[[nodiscard]] inline bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

/// Removes what comes before the first separator, all if there is none, and the separator, and returns it.
inline std::string_view takePart(std::string_view& text, char separator) {
    const std::string_view part = text.substr(0, text.find(separator));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    return part;
}

/// Whether `fits` holds for one of the words of a list with spaces between them.
template<typename Fits>
[[nodiscard]] bool anyWord(std::string_view words, const Fits& fits) {
    while (!words.empty()) {
        if (fits(takePart(words, ' '))) {
            return true;
        }
    }
    return false;
}
[[nodiscard]] inline bool hasWord(std::string_view words, std::string_view word) {
    return anyWord(words, [word](std::string_view each) { return each == word; });
}

} // namespace aotscope::base
