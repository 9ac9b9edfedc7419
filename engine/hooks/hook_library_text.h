#pragma once

#include <string_view>

namespace aotscope::hooks::detail {

/// resources/hook_library.txt; the build writes its source.
[[nodiscard]] std::string_view hookLibraryText();

} // namespace aotscope::hooks::detail
