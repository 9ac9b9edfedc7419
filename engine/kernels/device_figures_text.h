#pragma once

#include <string_view>

namespace aotscope::kernels::detail {

/// resources/device_figures.txt
[[nodiscard]] std::string_view deviceFiguresText();

} // namespace aotscope::kernels::detail
