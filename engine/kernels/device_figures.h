#pragma once

#include "ir/dtype.h"

#include "base/result.h"

#include <string>
#include <string_view>
#include <vector>

/// What GPUs can do at most, for predictions without one: the table that ships (resources/device_figures.txt,
/// which names the publication of each figure).
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

} // namespace aotscope::kernels
