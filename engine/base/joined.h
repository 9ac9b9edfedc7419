#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace aotscope::base {

/// "a, b, c"; nothing for an empty list.
[[nodiscard]] std::string joined(const std::vector<std::string>& parts, std::string_view between = ", ");

} // namespace aotscope::base
