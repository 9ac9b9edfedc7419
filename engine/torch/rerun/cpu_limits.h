#pragma once

#include "session/rerun_result.h"

namespace aotscope::torch {

/// What this computer's CPU reaches with LibTorch's threads: bytes per second in a large copy, and float32
/// operations per second in a large product of matrices. Measured by the first call, in less than a second.
[[nodiscard]] const session::DeviceLimits& cpuLimits();

} // namespace aotscope::torch
