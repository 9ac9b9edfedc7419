#pragma once

#include "contract/rerun_result.h"

namespace aotscope::torch {

/// What a GPU's memory and cores reach, as the list of devices has it: from clocks, widths and counts that
/// its driver tells. Without figures where the driver does not tell them.
[[nodiscard]] session::DeviceLimits gpuLimits(int device);

} // namespace aotscope::torch
