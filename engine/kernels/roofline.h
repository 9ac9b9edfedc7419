#pragma once

#include "kernels/device_figures.h"

#include "ir/dtype.h"

#include "base/describe.h"

#include <cstdint>

namespace aotscope::kernels {

/// What a kernel has to do.
struct KernelWork {
    double bytesRead = 0;
    double bytesWritten = 0;
    /// Multiplications and additions of products of matrices, which tensor cores do.
    double matrixOperations = 0;
    /// All others.
    double vectorOperations = 0;
    /// What it computes with.
    ir::DType dtype = ir::DType::Float32;
    bool allowsTf32 = false;
};
AOTSCOPE_MEMBERS(KernelWork, bytesRead, bytesWritten, matrixOperations, vectorOperations, dtype, allowsTf32)

enum class TimeLimit : std::uint8_t { Memory, Compute, Launch };
AOTSCOPE_WORDS(TimeLimit, "memory", "compute", "launch")

/// The time that a kernel takes at least, by the roofline: predicted, never measured. Bytes are counted as if
/// each came from the device's memory or went there once.
struct PredictedTime {
    double transferSeconds = 0;
    double computeSeconds = 0;
    /// What a launch takes however little the kernel does. A kernel that has less to do is limited by it.
    double launchSeconds = 0;
    TimeLimit limit = TimeLimit::Launch;

    /// The longest of the three.
    [[nodiscard]] double seconds() const;
};
AOTSCOPE_MEMBERS(PredictedTime, transferSeconds, computeSeconds, launchSeconds, limit)

/// Assumed of all devices, and said wherever a prediction is shown: the time from one short kernel of a full
/// queue to the next.
inline constexpr double launchSeconds = 2.5e-6;

[[nodiscard]] PredictedTime predictTime(const DeviceFigures& device, const KernelWork& work);

} // namespace aotscope::kernels
