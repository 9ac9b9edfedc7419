#pragma once

#include <string_view>

namespace aotscope::torch::detail {

/// resources/decomposition_lists.txt: "core aten::addcmul", one a line.
[[nodiscard]] std::string_view decompositionLists();

} // namespace aotscope::torch::detail
