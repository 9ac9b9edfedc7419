#pragma once

#include <string_view>

namespace aotscope::passes {

/// Whether each element of an operator's result follows from those at its place (torch.Tag.pointwise).
[[nodiscard]] bool isPointwise(std::string_view target);

} // namespace aotscope::passes
