#pragma once

#include "kernels/cubin_facts.h"
#include "kernels/device_figures.h"
#include "kernels/fused_kernel.h"
#include "kernels/kernel_builds.h"
#include "kernels/kernel_cache.h"
#include "kernels/nvrtc.h"
#include "kernels/occupancy.h"

#include "base/progress.h"
#include "base/result.h"

#include <optional>
#include <string>
#include <vector>

/// What can be computed for fused kernels without running them: they are compiled for GPU architectures (no
/// GPU is needed), with the resources that they use of a multiprocessor, how many fit on one, and a lower
/// bound of their time.
namespace aotscope::kernels {

/// A fused kernel compiled for one architecture.
struct ArchitectureReport : KernelBuild {
    std::string architecture;
    /// Empty: the kernel did not compile.
    std::optional<CubinFacts> facts;
    /// What the image does not tell.
    std::int64_t spillStoreBytes = 0;
    std::int64_t spillLoadBytes = 0;
    /// Nothing: it did not compile, or nothing is known of the architecture's multiprocessors.
    std::optional<Occupancy> occupancy;

    [[nodiscard]] bool compiled() const { return build->compiled(); }
};

struct KernelReport {
    KernelWork work;
    PredictedTime time;
    /// One per requested architecture.
    std::vector<ArchitectureReport> architectures;

    [[nodiscard]] bool compiled() const;
};

/// What a fused kernel reads, writes and computes: each tensor once (of expanded dimensions one element), and
/// one operation at least for each element and node.
[[nodiscard]] KernelWork workOf(const FusedKernel& kernel);

/// One report for each kernel, in their order. Kernels whose texts differ in names and comments alone are
/// compiled once, and those that `cache` has are not compiled (null: no cache). Errors: those of
/// Nvrtc::compile.
[[nodiscard]] base::Result<std::vector<KernelReport>>
reportKernels(const Nvrtc& nvrtc, const std::vector<const FusedKernel*>& kernels,
              const std::vector<std::string>& architectures, const DeviceFigures& device,
              const KernelCache* cache = nullptr, const base::Progress& progress = {});

} // namespace aotscope::kernels
