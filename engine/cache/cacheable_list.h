#pragma once

#include <string_view>

namespace aotscope::cache::detail {

/// resources/cacheable_functions.txt: Python functions that PyTorch's cache accepts by name, one a line;
/// embedded at build time.
[[nodiscard]] std::string_view cacheableFunctions();

} // namespace aotscope::cache::detail
