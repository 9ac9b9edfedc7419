#pragma once

#include "cuda/kernel_launch.h"

#include "kernels/kernel_builds.h"

#include "base/progress.h"
#include "base/result.h"

#include <span>
#include <string>
#include <vector>

/// Fused kernels (engine/kernels) on a GPU of this machine: compiled by NVRTC, loaded and launched.
namespace aotscope::torch {

/// NVRTC for one GPU.
class DeviceCompiler {
public:
    /// Errors: cuda.no_driver, cuda.old_driver, cuda.failed, kernels.no_nvrtc, kernels.no_compiler_program,
    /// kernels.no_architecture (this NVRTC does not know the GPU), session.canceled.
    [[nodiscard]] static base::Result<DeviceCompiler> make(int device, const base::Progress& progress);

    /// "NVRTC 13.2 for sm_90"
    [[nodiscard]] std::string description() const;

    /// One build for each kernel, in their order; texts that were compiled before come from the folder of
    /// compiled kernels. A text that is refused is no error: its build says so. Errors: those of
    /// kernels::Nvrtc::compile.
    [[nodiscard]] base::Result<std::vector<kernels::KernelBuild>>
    compile(const std::vector<const kernels::FusedKernel*>& kernels, const base::Progress& progress) const;
    /// A build that compiled. Errors: those of LoadedKernel::load.
    [[nodiscard]] base::Result<LoadedKernel> load(const kernels::KernelBuild& build) const;

private:
    DeviceCompiler(const CudaDriver& driver, int device, kernels::Nvrtc nvrtc, std::string architecture)
        : m_driver(driver),
          m_device(device),
          m_nvrtc(std::move(nvrtc)),
          m_architecture(std::move(architecture)) {}

    CudaDriver m_driver;
    int m_device;
    kernels::Nvrtc m_nvrtc;
    std::string m_architecture;
};

/// Queues a fused kernel; does not wait. `pointers` has one for each of the kernel's parameters: the address
/// of a tensor's first element in the GPU's memory. Errors: those of LoadedKernel::launch.
[[nodiscard]] base::Result<void> launchFused(const LoadedKernel& kernel, const kernels::KernelLaunch& launch,
                                             std::span<void* const> pointers);

} // namespace aotscope::torch
