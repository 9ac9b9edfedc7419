#pragma once

#include <string_view>

namespace aotscope::kernels::detail {

/// resources/kernel_prelude.cuh, compiled in.
[[nodiscard]] std::string_view preludeText();
/// resources/kernel_host_shim.h, compiled in.
[[nodiscard]] std::string_view hostShimText();

/// resources/device_figures.txt
[[nodiscard]] std::string_view deviceFiguresText();

} // namespace aotscope::kernels::detail
