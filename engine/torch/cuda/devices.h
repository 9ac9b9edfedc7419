#pragma once

#include "cuda/cuda_libraries.h"
#include "cuda/driver.h"

#include "contract/devices.h"

namespace aotscope::torch {

/// The CPU and the GPUs of this machine. With a driver that could not be opened, and with libraries that are
/// missing, it says what keeps graphs from running on a GPU.
[[nodiscard]] session::DeviceList listDevices(const base::Result<CudaDriver>& driver,
                                              const CudaLibraries& libraries);

/// The same for this process, looked up at every call.
[[nodiscard]] session::DeviceList machineDevices();

/// A GPU as its driver describes it. Errors: cuda.failed.
[[nodiscard]] base::Result<session::DeviceInfo> gpuInfo(const CudaDriver& driver, int ordinal);

/// How many float32 multiply-adds a multiprocessor does per clock, by compute capability, as NVIDIA's
/// programming guide lists it; 0 for one that it does not list.
[[nodiscard]] int float32PerClock(int major, int minor);

} // namespace aotscope::torch
