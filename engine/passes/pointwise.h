#pragma once

#include <string_view>

namespace aotscope::passes {

/// Whether each element of an operator's result depends only on the elements at the same position of its
/// inputs (torch 2.11, torch.Tag.pointwise).
[[nodiscard]] bool isPointwise(std::string_view target);

} // namespace aotscope::passes
