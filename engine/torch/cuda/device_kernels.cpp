#include "cuda/device_kernels.h"

#include "base/mapped.h"
#include "cuda/devices.h"

#include <mutex>
#include <optional>
#include <utility>

namespace aotscope::torch {

namespace {

/// Looked for until it is found: that starts a process, which would be a part of the time from a person's
/// edit to its result.
base::Result<kernels::Nvrtc> machineNvrtc(const base::Progress& progress) {
    static std::mutex mutex;
    static std::optional<kernels::Nvrtc> found;
    const std::lock_guard lock(mutex);
    if (!found) {
        AOTSCOPE_TRY(nvrtc, kernels::Nvrtc::find({}, progress));
        found = std::move(nvrtc);
    }
    return *found;
}

} // namespace

base::Result<DeviceCompiler> DeviceCompiler::make(int device, const base::Progress& progress) {
    AOTSCOPE_TRY(driver, CudaDriver::machine());
    AOTSCOPE_TRY(info, gpuInfo(driver, device));
    AOTSCOPE_TRY(nvrtc, machineNvrtc(progress));
    AOTSCOPE_TRY(architecture, kernels::architectureFor(info.computeCapability, nvrtc.architectures()));
    return DeviceCompiler(driver, device, std::move(nvrtc), std::move(architecture));
}

std::string DeviceCompiler::description() const {
    return "NVRTC " + m_nvrtc.version() + " for " + m_architecture;
}

base::Result<std::vector<kernels::KernelBuild>>
DeviceCompiler::compile(const std::vector<const kernels::FusedKernel*>& kernels,
                        const base::Progress& progress) const {
    const kernels::KernelCache cache(kernels::defaultKernelCacheFolder());
    AOTSCOPE_TRY(builds, kernels::buildKernels(m_nvrtc, kernels, {m_architecture}, &cache, progress));
    return base::mapped(
        builds, [](std::vector<kernels::KernelBuild>& ofKernel) { return std::move(ofKernel.front()); });
}

base::Result<LoadedKernel> DeviceCompiler::load(const kernels::KernelBuild& build) const {
    return LoadedKernel::load(m_driver, m_device, build.build->cubin, build.function);
}

base::Result<void> launchFused(const LoadedKernel& kernel, const kernels::KernelLaunch& launch,
                               std::span<void* const> pointers) {
    std::vector<KernelArgument> arguments;
    arguments.reserve(pointers.size());
    for (void* pointer : pointers) {
        arguments.emplace_back(DeviceAddress{reinterpret_cast<CudaAddress>(pointer)}); // NOLINT
    }
    return kernel.launch({.grid = {launch.grid, 1, 1},
                          .block = {launch.block, 1, 1},
                          .dynamicSharedBytes = static_cast<unsigned>(launch.dynamicSharedBytes)},
                         arguments);
}

} // namespace aotscope::torch
