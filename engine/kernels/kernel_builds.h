#pragma once

#include "kernels/fused_kernel.h"
#include "kernels/kernel_cache.h"
#include "kernels/nvrtc.h"

#include "base/progress.h"
#include "base/result.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

/// Fused kernels compiled by NVRTC, each distinct text once.
namespace aotscope::kernels {

/// A fused kernel compiled for one architecture.
struct KernelBuild {
    /// Kernels whose sources differ only in names and comments share one build.
    std::shared_ptr<const CudaBuild> build;
    /// The function's name in the image: that of the kernel that was compiled for all of them.
    std::string function;
};

/// What NVRTC compiles of a kernel.
[[nodiscard]] CudaRequest cudaRequest(const FusedKernel& kernel, const std::string& architecture);

/// The builds of each kernel, in the kernels' order, and of each in the order of the architectures. What
/// `cache` has is not compiled (null: no cache). Errors: those of Nvrtc::compile.
[[nodiscard]] base::Result<std::vector<std::vector<KernelBuild>>>
buildKernels(const Nvrtc& nvrtc, const std::vector<const FusedKernel*>& kernels,
             const std::vector<std::string>& architectures, const KernelCache* cache = nullptr,
             const base::Progress& progress = {});

/// The newest of `architectures` ("sm_80", …) whose images run on a GPU of that compute capability ("8.6"):
/// one of the same major number that is not newer than the GPU. Error: kernels.no_architecture.
[[nodiscard]] base::Result<std::string> architectureFor(std::string_view computeCapability,
                                                        const std::vector<std::string>& architectures);

} // namespace aotscope::kernels
