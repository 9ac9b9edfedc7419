#pragma once

#include "kernels/fusion_plan.h"

#include "base/result.h"

#include <memory>
#include <vector>

namespace aotscope::bench {

struct KernelTimes {
    /// Of all kernels of the plan, once after the other, for each repetition.
    std::vector<double> seconds;
    /// From the text to what can be run.
    double compileSeconds = 0;
};

/// Where kernels are compiled and run: on a GPU, or on the CPU.
class KernelRuns {
public:
    virtual ~KernelRuns() = default;
    /// Compiles the kernels of a plan, makes their tensors and times them, after a few runs that do not
    /// count.
    [[nodiscard]] virtual base::Result<KernelTimes> run(const kernels::FusionPlan& plan, int repeats) = 0;
    /// Bytes read and written in a second by a plain copy of that many bytes.
    [[nodiscard]] virtual base::Result<double> copyBandwidth(std::int64_t bytes) = 0;
};

/// Error: kernels.no_host_compiler.
[[nodiscard]] base::Result<std::unique_ptr<KernelRuns>> hostRuns();
/// The first GPU. Errors: cuda.no_driver, cuda.failed, kernels.no_nvrtc.
[[nodiscard]] base::Result<std::unique_ptr<KernelRuns>> gpuRuns();

/// Of the memory that a parameter points at.
[[nodiscard]] std::size_t bytesOf(const kernels::KernelParameter& parameter);

} // namespace aotscope::bench
