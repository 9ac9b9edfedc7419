#pragma once

#include "contract/rerun_result.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace aotscope::torch {

/// What this computer's CPU reaches with LibTorch's threads: bytes per second in copies of tensors that move
/// about as many bytes (small ones stay in caches, which are faster than memory), and float32 operations per
/// second in products of matrices. Measured by the first call, in about a second, and kept; `origin` says how
/// much other programs disturbed it.
[[nodiscard]] session::DeviceLimits cpuLimits(std::int64_t bytes);

/// What a GPU's memory and cores reach, as the list of devices has it: from clocks, widths and counts that
/// its driver tells. Without figures where the driver does not tell them.
[[nodiscard]] session::DeviceLimits gpuLimits(int device);

/// Measures the CPU again and keeps the better of both, because something ran faster than the limit. Does
/// nothing after a few times.
void measureCpuLimitsAgain();

/// How much of this computer's processors other programs use while something is timed: their load makes it
/// slower than it is. Counts from its making.
class OtherLoad {
public:
    OtherLoad();

    /// "other programs used 63 % of the processors meanwhile"; empty where they did not disturb, the system
    /// does not tell, or too little time has passed to know.
    [[nodiscard]] std::string words() const;

private:
    struct Used {
        /// Of all programs, and of this one, in seconds of processor time.
        double all = 0;
        double own = 0;
        double idle = 0;
    };
    [[nodiscard]] static std::optional<Used> used();

    std::optional<Used> m_before;
    std::chrono::steady_clock::time_point m_start;
};

} // namespace aotscope::torch
