#pragma once

#include <string_view>

namespace aotscope::base {

/// Whether `part` occurs in `text`; C++23 has it as a member.
[[nodiscard]] inline bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

} // namespace aotscope::base
