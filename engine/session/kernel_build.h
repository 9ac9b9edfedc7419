#pragma once

#include "kernels/compile_message.h"
#include "kernels/cubin_facts.h"
#include "kernels/fused_kernel.h"
#include "kernels/nvrtc.h"
#include "kernels/occupancy.h"

#include "base/progress.h"
#include "base/result.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

/// A kernel's text compiled for a GPU, without one.
namespace aotscope::session {

/// What is compiled. Equal requests give equal builds.
struct KernelBuildRequest {
    std::string name;
    /// What a person reads and may have changed.
    std::string source;
    /// "sm_90"
    std::string architecture;
    kernels::KernelLaunch launch;
    friend bool operator==(const KernelBuildRequest&, const KernelBuildRequest&) = default;
};

struct KernelBuildSnapshot {
    KernelBuildRequest request;
    /// With errors the text was refused, and there is nothing below but these.
    std::vector<kernels::CompileMessage> messages;
    std::string ptx;
    /// Empty: `noSass` says why.
    std::string sass;
    std::string noSass;
    std::optional<kernels::CubinFacts> facts;
    /// What the assembler said; nothing if it said nothing of this kernel.
    std::optional<kernels::AssemblerFacts> assembler;
    std::optional<kernels::Occupancy> occupancy;
    /// "NVRTC 13.2"
    std::string compiler;
    double seconds = 0;

    [[nodiscard]] bool isRefused() const { return kernels::hasErrors(messages); }
};
using KernelBuildSnapshotPtr = std::shared_ptr<const KernelBuildSnapshot>;

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
