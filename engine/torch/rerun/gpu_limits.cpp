#include "rerun/gpu_limits.h"

#include "cuda/devices.h"

namespace aotscope::torch {

session::DeviceLimits gpuLimits(int device) {
    session::DeviceLimits limits;
    const base::Result<CudaDriver>& driver = CudaDriver::machine();
    if (!driver) {
        return limits;
    }
    const auto info = gpuInfo(*driver, device);
    if (!info) {
        return limits;
    }
    limits.device = info->name;
    limits.bytesPerSecond = info->peakBytesPerSecond;
    limits.flopsPerSecond = info->peakFlopsPerSecond;
    limits.origin = "by the clock and width of its memory, and one float32 multiply-add of each core per "
                    "clock: its matrix units do more";
    return limits;
}

} // namespace aotscope::torch
