#pragma once

#include "contract/kernel_build.h"

#include "kernels/nvrtc.h"

#include "base/progress.h"
#include "base/result.h"

#include <mutex>
#include <optional>

namespace aotscope::session {

/// Compiles kernels for GPUs; finds the compiler once. Thread-safe.
class KernelBuilder {
public:
    /// Errors: kernels.no_nvrtc (names what installs it), kernels.no_compiler_program,
    /// kernels.no_architecture, kernels.compiler_failed, session.canceled.
    [[nodiscard]] base::Result<KernelBuildSnapshotPtr> build(const KernelBuildRequest& request,
                                                             const base::Progress& progress);

private:
    [[nodiscard]] base::Result<kernels::Nvrtc> nvrtc(const base::Progress& progress);

    std::mutex m_mutex;
    std::optional<kernels::Nvrtc> m_nvrtc;
};

} // namespace aotscope::session
