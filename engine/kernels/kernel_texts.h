#pragma once

#include <string_view>

namespace aotscope::kernels::detail {

/// resources/kernel_prelude.cuh, compiled in.
[[nodiscard]] std::string_view preludeText();
/// resources/kernel_host_shim.h, compiled in.
[[nodiscard]] std::string_view hostShimText();

} // namespace aotscope::kernels::detail
