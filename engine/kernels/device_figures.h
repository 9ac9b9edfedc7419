#pragma once

#include "ir/dtype.h"

#include "base/describe.h"
#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// What GPUs can do at most, for predictions without one: the table that ships (resources/device_figures.txt,
/// which names the publication of each figure), and by that the time that a kernel takes at least.
namespace aotscope::kernels {

struct DeviceFigures {
    std::string name;
    /// "sm_90"
    std::string architecture;
    int multiprocessors = 0;
    double boostHertz = 0;
    double memoryBytes = 0;
    double l2Bytes = 0;
    /// Bandwidth of the device's memory, in bytes per second.
    double bandwidth = 0;
    // Operations per second, a multiplication and an addition counting as two. Tensor cores: of dense
    // matrices; 0: there are none for this dtype.
    double fp64 = 0;
    double fp64Tensor = 0;
    double fp32 = 0;
    double tf32Tensor = 0;
    double bf16Tensor = 0;
    double fp8Tensor = 0;
    /// Where the figures are published.
    std::string source;

    /// Of products of matrices of that dtype. float32 uses TF32 only where `allowsTf32`, as
    /// torch.backends.cuda.matmul.allow_tf32 says (False unless the program sets it).
    [[nodiscard]] double matrixPeak(ir::DType dtype, bool allowsTf32 = false) const;
    /// Of everything else: half and bfloat16 are computed in float32 there, as ATen does.
    [[nodiscard]] double vectorPeak(ir::DType dtype) const;
};

/// All that ship, in the order of the table.
[[nodiscard]] const std::vector<DeviceFigures>& shippedDevices();

/// The first device whose name begins like this, without regard to case and blanks: "h100", "A100 40GB".
/// Error: kernels.unknown_device, which lists the names.
[[nodiscard]] base::Result<DeviceFigures> deviceByName(std::string_view name);

/// Reads a table. Error: kernels.bad_devices, with the line.
[[nodiscard]] base::Result<std::vector<DeviceFigures>> readDeviceFigures(std::string_view text);

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
